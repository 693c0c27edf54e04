import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HookedAgent } from '@pml/hooks/agents'
import { rootDir } from '../apps/server/test/paths.ts'

/** The texts that a page must contain about an agent with hooks. */
const pages: Readonly<Record<string, (agent: HookedAgent) => readonly string[]>> = {
  'docs/command-line.md': ({ name, home, hooks: { settings } }) => [
    [
      `| \`${name}\` | \`${settings.files.project.join('/')}\` `,
      `| \`${['~', ...(home?.path ?? []), ...settings.files.user].join('/')}\` |`,
    ].join(''),
    ...settings.gates.map((gate) => `\`${gate}\``),
  ],
  'docs/hooks.md': ({ name, title }) => [name, title],
  'docs/hooks-http.md': ({ name }) => [`\`${name}\``],
  'docs/hooks-mcp.md': ({ title }) => [`\n| ${title} | \``],
  'docs/agents.md': ({ title }) => [title],
  'docs/walkthrough.md': ({ name }) => [name],
  'config/enforcement.schema.json': ({ name }) => [`"${name}"`],
}

/** Returns the texts about these agents that pages and schemas lack. */
export async function lackOf(agents: readonly HookedAgent[]): Promise<string[]> {
  const lacks = Object.entries(pages).map(async ([page, wanted]) => {
    const text = await readFile(join(rootDir, page), 'utf8')
    const texts = agents.flatMap(wanted).filter((one) => !text.includes(one))
    return texts.map((one) => `${page}: ${one.trim()}`)
  })
  return (await Promise.all(lacks)).flat()
}
