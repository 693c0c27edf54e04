import { bareToolName } from '@pml/core'
import type { ToolDefinition } from '@pml/core/pins'

/** Tools of one server, before they stand beside those of others. */
export interface ServerTools {
  readonly server: string
  readonly tools: readonly ToolDefinition[]
}

export interface Route {
  readonly server: string
  readonly tool: string
  /** As it is listed, under its name among all. */
  readonly definition: ToolDefinition
}

const SEPARATOR = '__'

/**
 * `server__tool` for every tool, in the order of names. Two that would be called alike are both left out: nobody could say
 * which one an agent means. So is one that no rule can name.
 */
export function routesOf(all: readonly ServerTools[]): {
  readonly routes: ReadonlyMap<string, Route>
  readonly clashes: readonly string[]
  readonly unfit: readonly string[]
} {
  const every = all.flatMap(({ server, tools }) =>
    tools.map((tool) => ({
      server,
      tool: tool.name,
      definition: { ...tool, name: `${server}${SEPARATOR}${tool.name}` },
    })),
  )
  const fit = every.filter(({ tool }) => bareToolName.test(tool))
  const sorted = fit.toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1))
  const names = sorted.map(({ definition }) => definition.name)
  const clashes = new Set(names.filter((name, at) => name === names[at + 1]))
  const single = sorted.filter(({ definition }) => !clashes.has(definition.name))
  return {
    routes: new Map(single.map((route) => [route.definition.name, route])),
    clashes: [...clashes],
    unfit: every.filter(({ tool }) => !bareToolName.test(tool)).map(({ definition }) => definition.name),
  }
}
