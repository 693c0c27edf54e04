import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Case, Outcome } from './case.ts'

export interface Stage {
  readonly root: string
  /** Makes the directory of a case and gives its name below the root. */
  prepare(one: Case): Promise<string>
  remove(): Promise<void>
}

export async function makeStage(): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), 'pml-std-'))
  let count = 0
  return {
    root,
    async prepare(one) {
      const name = `case-${count++}`
      await mkdir(join(root, name))
      for (const [path, content] of Object.entries(one.files ?? {})) {
        const full = join(root, name, path)
        await mkdir(path.endsWith('/') ? full : dirname(full), { recursive: true })
        if (!path.endsWith('/')) await writeFile(full, content)
      }
      return name
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/** The arguments as a caller sends them: through JSON, with the placeholders filled in. */
export function fillArgs(
  one: Case,
  { dir, origin }: { dir: string; origin: string },
): Record<string, unknown> {
  return JSON.parse(JSON.stringify(one.args).replaceAll('$DIR', dir).replaceAll('$URL', origin))
}

/** What a case must lead to, to be compared with what was observed. */
export function wanted(one: Case): unknown {
  const error = 'error' in one && { message: expect.stringContaining(one.error), names: expect.any(Array) }
  return { outcome: 'error' in one ? { error } : { result: one.result }, after: one.after ?? {} }
}

/** What a case led to, with the placeholders put back; `shown` is the directory as the tool was given it. */
export async function observe(
  one: Case,
  outcome: Outcome | undefined,
  { path, shown, origin }: { path: string; shown: string; origin: string },
): Promise<unknown> {
  const text = JSON.stringify(outcome ?? null)
  const after: Record<string, string | null> = {}
  for (const name of Object.keys(one.after ?? {})) {
    after[name] = await readFile(join(path, name), 'utf8').catch(() => null)
  }
  return { outcome: JSON.parse(text.replaceAll(shown, '$DIR').replaceAll(origin, '$URL')), after }
}
