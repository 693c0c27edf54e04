import { lstat, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { fileError } from '../../machine/files/file-error.ts'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import { readAnswer } from '../../registry/parse-answer.ts'
import { defineCommand } from '../command.ts'

const KEPT = 10
const OWNER_ONLY = 0o600

export default defineCommand({
  description: `Write approvals, patterns and decisions to a registry file of hooks; the last ten are kept.

## Examples

\`\`\`json
{"file": "approvals.json"}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) =>
    z.object({ file: z.string().min(1).describe('Such as ~/.claude/hooks/lib/traced-registry.json') }),
  output: ({ z }) => z.object({ file: z.string(), approvals: z.int(), patterns: z.int(), kept: z.int() }),
  run: async ({ client }, { file: path }) => {
    const { http, registry } = await client()
    const file = resolve(path)
    const found = await readAnswer(http, registry.registry, { path: 'approvals/export' })
    await keepVersions(file)
    await writeAtomically(file, `${JSON.stringify(found, null, 2)}\n`, { mode: OWNER_ONLY })
    const count = (member: string) => Object.keys((found[member] ?? {}) as object).length
    return {
      file,
      approvals: count('one_time_approvals'),
      patterns: count('permanent_patterns') + count('blocked_patterns'),
      kept: (await versionsOf(file)).length,
    }
  },
})

/** Keeps earlier versions beside the file; `.1` is the newest. The file itself stays until it is replaced. */
async function keepVersions(file: string): Promise<void> {
  const stats = await lstat(file).catch(() => undefined)
  if (!stats?.isFile()) return
  try {
    for (const number of (await versionsOf(file)).toReversed()) {
      if (number >= KEPT) await rm(`${file}.${number}`)
      else await rename(`${file}.${number}`, `${file}.${number + 1}`)
    }
    await writeAtomically(`${file}.1`, await readFile(file), { mode: OWNER_ONLY })
  } catch (error) {
    throw fileError('write', file, error)
  }
}

async function versionsOf(file: string): Promise<number[]> {
  const prefix = `${basename(file)}.`
  const names = await readdir(dirname(file)).catch(() => [])
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{1,4}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .toSorted((a, b) => a - b)
}
