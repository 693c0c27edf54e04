import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { Ops } from '../ops.ts'
import { ownCommand } from '../own-command.ts'

/**
 * Keeps beside the hook what V8 makes of its code, so that no call waits for that. Where it cannot be kept, hooks judge the
 * same and a little later.
 */
export function compileHook({ execPath }: Pick<Ops, 'execPath'>): Promise<void> {
  const file = join(dirname(ownCommand()), 'compile-hook.js')
  return new Promise((done) => void execFile(execPath, [file], () => done()))
}
