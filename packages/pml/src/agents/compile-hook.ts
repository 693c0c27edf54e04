import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { noteOwnWrite } from '../machine/files/own-writes.ts'
import type { Ops } from '../machine/ops.ts'
import { ownCommand } from '../machine/own-command.ts'

/**
 * Keeps beside the hook what V8 makes of its code, so that no call waits for that. Where it cannot be kept, hooks judge the
 * same and a little later.
 */
export async function compileHook({ execPath }: Pick<Ops, 'execPath'>): Promise<void> {
  const bin = dirname(ownCommand())
  await new Promise<void>((done) => void execFile(execPath, [join(bin, 'compile-hook.js')], () => done()))
  await noteCompiled(join(bin, '..', 'bundle', 'hook'))
}

/** So that no hook takes them for what an agent made of pml. */
async function noteCompiled(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => /\.cjs\.v[^/]+$/.test(one))) {
    const file = join(folder, name)
    await noteOwnWrite(file, await readFile(file))
  }
}
