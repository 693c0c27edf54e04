import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stops } from './stops.ts'

export async function makeTempFolder(stops: Stops): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pml-bench-'))
  stops.add(() => rm(folder, { recursive: true, force: true }))
  return folder
}
