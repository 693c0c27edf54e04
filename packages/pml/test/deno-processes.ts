import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { isAlive } from './rough-folder.ts'
import { denoPath, type TestWorkspace } from './test-workspace.ts'

/** Returns the Deno processes of a workspace: its cache folder is in their environment. */
export async function findDenos({ cacheDir }: TestWorkspace): Promise<number[]> {
  const found: number[] = []
  for (const pid of (await readdir('/proc').catch(() => [])).map(Number).filter(Boolean)) {
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')
    if (!(await read('cmdline')).startsWith(denoPath)) continue
    if ((await read('environ')).includes(`DENO_DIR=${cacheDir}`) && (await isAlive(pid))) found.push(pid)
  }
  return found
}

/** Waits until a Deno process runs, and returns all of them. */
export async function waitForDenos(workspace: TestWorkspace): Promise<number[]> {
  let found: number[] = []
  await expect
    .poll(
      async () => {
        found = await findDenos(workspace)
        return found.length
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0)
  return found
}
