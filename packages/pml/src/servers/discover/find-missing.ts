import type { LocalServer } from '@pml/core/local-servers'

/** What a server really has. */
interface Real {
  readonly tools: readonly { readonly name: string }[]
  readonly capabilities: Readonly<Record<string, unknown>>
}

/** What the file declares and the server does not have, in words. */
export function findMissing({ tools, capabilities }: LocalServer, real: Real): string[] {
  const names = new Set(real.tools.map(({ name }) => name))
  return [
    ...(tools ?? []).filter((name) => !names.has(name)).map((name) => `tool ${name}`),
    ...(capabilities ?? [])
      .filter((name) => real.capabilities[name] === undefined)
      .map((name) => `capability ${name}`),
  ]
}
