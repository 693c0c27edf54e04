import { realpathSync } from 'node:fs'
import { z } from 'zod'
import { PmlError } from '@pml/core'
import { describeCode, printChange, showOnOneLine } from '@pml/core/changes'
import { rootOf } from '../../guard/read-guarded.ts'
import { acceptChanges, listHeld, type HeldFile } from '../../guard/witness/accept-changes.ts'
import { foldersOf } from '../../guard/witness/territories.ts'
import { stateHomeOf } from '../../machine/ops.ts'
import { defineOwn } from '../own-tool.ts'

const LONGEST_PATH = 500
/** Of an installed pml hundreds of files change at once. */
const MOST_SHOWN = 10

export default defineOwn({
  name: 'hooks_accept',
  description: `Take files that the hook holds back as they are now, so that agents may write again.

A file is held when it breaks a rule and nobody approved it: a test that a command weakened, or settings that changed between two calls.

## Examples

\`\`\`json
{"yes": true}
\`\`\`
`,
  effect: 'destructive',
  input: z.object({ yes: z.boolean().default(false).describe('Do not ask') }),
  output: z.object({ accepted: z.array(z.string()).describe('Whole paths') }),
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
        `Cannot accept ${showOnOneLine(changed.path, LONGEST_PATH)}: it changed while you looked; say "pml hooks accept" again`,
      )
    return { accepted: held.map(({ file: { path } }) => path) }
  },
})

/** Names first, then what changed in each: nobody should agree to what they have not seen. */
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
