import { resolve } from 'node:path'
import { diffLockfiles, lockedFqdn, parseLockfile, PmlError, type LockedEntry } from '@pml/core'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { LOCK_LIMIT_BYTES } from '../../workspace/lock-store.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Compare the lockfile with another one, such as that of another branch: what was added, removed and changed.

## Examples

\`\`\`json
{"file": "main.lock"}
\`\`\`
`,
  effect: 'read',
  input: ({ z }) =>
    z.object({
      file: z.string().min(1).describe('The lockfile to compare with, which counts as the older'),
    }),
  output: ({ z, fqdn }) => {
    const entry = z.object({ fqdn, integrity: z.string() })
    return z.object({
      added: z.array(entry),
      removed: z.array(entry),
      changed: z.array(z.object({ before: entry, after: entry })),
    })
  },
  run: async ({ ops, lockfile }, { file }) => {
    const { lock } = await lockfile()
    const path = resolve(ops.cwd, file)
    const other = await readPlainFile(path, LOCK_LIMIT_BYTES)
    if (!other) throw new PmlError('invalid_arguments', `Cannot compare with ${path}: there is no such file`)
    const older = parseLockfile(other.bytes.toString('utf8'), path)
    const { added, removed, changed } = diffLockfiles(older, await lock.read())
    return {
      added: added.map(shown),
      removed: removed.map(shown),
      changed: changed.map(({ before, after }) => ({ before: shown(before), after: shown(after) })),
    }
  },
})

function shown(entry: LockedEntry) {
  return { fqdn: lockedFqdn(entry), integrity: entry.integrity }
}
