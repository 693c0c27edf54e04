import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A program of this folder as one file: started by the hundred, it has to start fast. */
export interface TestProgram {
  start(args: readonly string[]): Running
  remove(): Promise<void>
}

export interface Running {
  readonly child: ChildProcess
  /** The next line that it prints; undefined when there is none any more. */
  line(): Promise<string | undefined>
  /** Its exit code, or the signal that ended it, when all that it printed was read. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  /** Lets it begin, if it waits for its input to end. */
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
