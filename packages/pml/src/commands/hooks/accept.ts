import { realpathSync } from 'node:fs'
import { PmlError } from '@pml/core'
import { describeCode, printChange, showOnOneLine } from '@pml/core/changes'
import { printable } from '@pml/tools/cli'
import { rootOf } from '../../guard/read-guarded.ts'
import { acceptChanges, listHeld, type HeldFile } from '../../guard/witness/accept-changes.ts'
import { foldersOf } from '../../guard/witness/territories.ts'
import { stateHomeOf } from '../../machine/ops.ts'
import { defineCommand } from '../command.ts'

const LONGEST_PATH = 500
/** An update of an installed pml changes hundreds of files at once. */
const MOST_SHOWN = 10

export default defineCommand({
  description: `Accept changed files as they are now, so that agents may write again.

A file is held when it breaks a rule and nobody approved it: a test that a command weakened, or settings that changed between two calls.

## Examples

\`\`\`json
{"yes": true}
\`\`\`
`,
  effect: 'destructive',
  input: ({ z }) => z.object({ yes: z.boolean().default(false).describe('Do not ask') }),
  output: ({ z }) => z.object({ accepted: z.array(z.string()).describe('Absolute paths') }),
  run: async ({ ops, workspace, confirm, person }, { yes }) => {
    const state = stateHomeOf(ops.env, ops.platform)
    const root = realpathSync(rootOf(workspace ?? ops.cwd))
    const folders = foldersOf([root], { state })
    const held = folders.flatMap((folder) => listHeld(folder).map((file) => ({ folder, file })))
    if (held.length === 0) return { accepted: [] }
    await person.prove({ by: 'terminal' }, { what: 'accept the changes', command: 'pml hooks accept' })
    const shown = printHeld(held.map(({ file }) => file))
    const isSure = yes || (await confirm(`${shown}\n\nTake these files as they are now`))
    if (!isSure) return { accepted: [] }
    const others = new Set<HeldFile>()
    for (const folder of new Set(held.map((one) => one.folder))) {
      const listed = held.filter((one) => one.folder === folder).map(({ file }) => file)
      for (const other of await acceptChanges(folder, listed)) others.add(other)
    }
    const [changed] = others
    if (changed)
      throw new PmlError(
        'not_approved',
        `Cannot accept ${showOnOneLine(changed.path, LONGEST_PATH)}: it changed while you looked; run "pml hooks accept" again`,
      )
    return { accepted: held.map(({ file: { path } }) => path) }
  },
  print: ({ accepted }) =>
    accepted.length === 0
      ? 'No file was accepted: none is held here, or you said no\n'
      : `Accepted as they are now:\n${accepted.map((path) => `  ${printable(path)}\n`).join('')}`,
})

/** The names of the files, then what changed in each. */
function printHeld(files: readonly HeldFile[]): string {
  const names = files.map(({ what, path }) => `${what.padEnd(10)}  ${showOnOneLine(path, LONGEST_PATH)}`)
  const differences = files.slice(0, MOST_SHOWN).flatMap(({ path, texts }) => {
    if (!texts || texts.before === texts.after) return []
    const code = describeCode(texts.before, texts.after)
    const difference = printChange({ warnings: [], fields: [], code })
    return [`${showOnOneLine(path, LONGEST_PATH)}\n${difference.trimEnd()}`]
  })
  return [names.join('\n'), ...differences].join('\n\n')
}
