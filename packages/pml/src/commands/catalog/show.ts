import { heading, printable, printRows, wrap, type Layout } from '@pml/tools/cli'
import { defineCommand } from '../command.ts'
import { showEntry, type ShownEntry, type ShownTool } from '../show-entry.ts'

/** Longer lines are hard to read. */
const WIDEST = 100

export default defineCommand({
  // The registry has a tool named catalog_show, which is `pml catalog history`.
  name: 'pml_show',
  description: `Show what an entry of the registry runs, what it needs, and its tools with their arguments.

Nothing is locked and nothing is started.

## Examples

\`\`\`json
{ "name": "memory" }
\`\`\`

\`\`\`json
{ "name": "pml.std.string.slugify" }
\`\`\`
`,
  effect: 'read',
  input: ({ z, reference }) => z.object({ name: reference }),
  output: ({ z, fqdn }) => {
    const argument = z.object({
      name: z.string(),
      type: z.string(),
      required: z.boolean(),
      description: z.string(),
    })
    return z.object({
      fqdn,
      type: z.string(),
      routing: z.string(),
      description: z.string(),
      locked: z.boolean().describe('Whether this very release is locked here'),
      runs: z.string().describe('What happens on this machine when it is used'),
      needs: z.array(z.object({ variable: z.string(), isSet: z.boolean() })),
      keepsDataIn: z.string().nullable(),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          arguments: z.array(argument).nullable().describe('Null if the entry does not list them'),
        }),
      ),
    })
  },
  run: async ({ client }, { name }) => {
    const { needs, tools, ...rest } = await showEntry(await client(), name)
    return {
      ...rest,
      needs: [...needs],
      tools: tools.map((tool) => ({ ...tool, arguments: tool.arguments && [...tool.arguments] })),
    }
  },
  print: (entry, layout) => {
    const { tools } = entry
    const listed = tools.flatMap((tool) => ['', ...printTool(tool, layout)])
    const head = tools.length === 0 ? [] : ['', heading(`${tools.length} tools:`, layout)]
    return `${[...printRows(factsOf(entry), layout), ...head, ...listed].join('\n')}\n`
  },
})

function factsOf(entry: ShownEntry): [string, string][] {
  const { fqdn, type, routing, description, locked, runs, needs, keepsDataIn } = entry
  const variables = needs.map(({ variable, isSet }) => `${variable} (${isSet ? 'set' : 'not set'})`)
  return [
    ['name', fqdn],
    ['type', `${type}, routing ${routing}`],
    ...(description === '' ? [] : [['about', description] as [string, string]]),
    ['runs', runs],
    ['needs', variables.join(', ') || 'nothing'],
    ...(keepsDataIn === null ? [] : [['data', keepsDataIn] as [string, string]]),
    ['locked', locked ? 'yes' : 'no'],
  ]
}

function printTool({ name, description, arguments: args }: ShownTool, layout: Layout): string[] {
  const room = Math.min(layout.width ?? WIDEST, WIDEST) - 4
  const about = wrap(description, room).map((line) => `    ${line}`)
  const rows = (args ?? []).map(({ name: argument, type, required, description: text }): [string, string] => [
    `  ${printable(argument)} <${printable(type)}>`,
    [required ? '(required)' : '', text].filter(Boolean).join(' '),
  ])
  return [`  ${heading(printable(name), layout)}`, ...about, ...printRows(rows, layout)]
}
