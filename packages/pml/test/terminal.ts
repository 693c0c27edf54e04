import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestWorkspace } from './test-workspace.ts'

const bin = fileURLToPath(new URL('../bin/pml.js', import.meta.url))

/** An absolute path, because a test may set a PATH with only Node. */
const script =
  spawnSync('/bin/sh', ['-c', 'command -v script'], { encoding: 'utf8' }).stdout?.trim() || 'script'

/** `script` of util-linux creates a real terminal; every Linux has it. */
export const hasTerminal = /util-linux/.test(spawnSync(script, ['--version'], { encoding: 'utf8' }).stdout)

export interface Screen {
  readonly exit: number | null
  /** All output, including the echo of typed keys. */
  readonly text: string
}

/** Runs the built command on a terminal. Types each of `keys` when the next prompt has appeared. */
export function runOnTerminal(
  { root, env }: Pick<TestWorkspace, 'root' | 'env'>,
  argv: readonly string[],
  keys: readonly string[],
  command = bin,
): Promise<Screen> {
  const words = [process.execPath, command, ...argv].map((word) => `'${word}'`).join(' ')
  const child = spawn(script, ['--quiet', '--return', '--command', words, '/dev/null'], {
    cwd: root,
    env: { ...env, TERM: 'xterm', COLUMNS: '200' },
    timeout: 30_000,
    killSignal: 'SIGKILL',
  })
  let text = ''
  let typed = 0
  child.stdout.setEncoding('utf8').on('data', (shown: string) => {
    text += shown
    const asked = text.split('Approve?').length - 1
    while (typed < Math.min(asked, keys.length)) child.stdin.write(keys[typed++] ?? '')
  })
  return new Promise((done, fail) =>
    child.on('error', fail).on('close', (exit) => done({ exit, text: text.replaceAll('\r\n', '\n') })),
  )
}
