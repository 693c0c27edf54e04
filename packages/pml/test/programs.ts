import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Bundles a program of this folder into one file: tests start hundreds, so it must start fast. */
export interface TestProgram {
  start(args: readonly string[]): Running
  remove(): Promise<void>
}

export interface Running {
  readonly child: ChildProcess
  /** The next line that it prints; undefined at the end. */
  line(): Promise<string | undefined>
  /** Its exit code or signal, after all output was read. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  /** Ends its input, which it may be waiting for. */
  go(): void
  kill(): Promise<void>
}

export async function makeProgram(name: string): Promise<TestProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'pml-program-'))
  const file = join(folder, 'program.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['pml-source'],
    mainFields: ['module', 'main'],
    // Some dependencies are CommonJS.
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
  })
  return {
    start: (args) =>
      running(spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })),
    remove: () => rm(folder, { recursive: true }),
  }
}

function running(child: ChildProcess): Running {
  if (!child.stdout) throw new Error('unreachable: stdout is a pipe')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise<number | NodeJS.Signals | null>((done) =>
    child.on('close', (code, signal) => done(code ?? signal)),
  )
  return {
    child,
    ended,
    go: () => void child.stdin?.end(),
    line: async () => (await lines.next()).value as string | undefined,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
