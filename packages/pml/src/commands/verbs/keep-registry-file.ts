import { lstat, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { fileError } from '../../machine/files/file-error.ts'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import { readAnswer } from '../../registry/parse-answer.ts'
import type { Http } from '../../registry/http.ts'

const KEPT = 10
const OWNER_ONLY = 0o600

export interface KeptFile {
  readonly file: string
  readonly approvals: number
  readonly patterns: number
  readonly kept: number
}

/** Writes the registry file of hooks, for its owner only. What stood there before is kept beside it, the last ten. */
export async function keepRegistryFile(http: Http, registry: URL, path: string): Promise<KeptFile> {
  const file = resolve(path)
  const found = await readAnswer(http, registry, { path: 'approvals/export' })
  await keepVersions(file)
  await writeAtomically(file, `${JSON.stringify(found, null, 2)}\n`, { mode: OWNER_ONLY })
  const count = (member: string) => Object.keys((found[member] ?? {}) as object).length
  return {
    file,
    approvals: count('one_time_approvals'),
    patterns: count('permanent_patterns') + count('blocked_patterns'),
    kept: (await versionsOf(file)).length,
  }
}

/** The newest is `.1`. The file itself stays until the new one takes its place. */
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
