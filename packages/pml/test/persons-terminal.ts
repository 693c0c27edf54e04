import { spawn } from 'node:child_process'
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Proof, Unproven } from '../src/machine/person/proof.ts'

/** A terminal program of its own, with fake coding agents. */
export interface PersonsTerminal {
  readonly folder: string
  /** The command line that asks for the proof. */
  ask(more?: string): string
  /** Runs a command line in a shell of the person's terminal, and returns the proof that the asking process had. */
  type(line: string, request?: { readonly user?: number }): Promise<Proof | Unproven>
  /** The same without a terminal, as a child of the tests. */
  run(line: string): Promise<Proof | Unproven>
  /** Writes an executable file into the folder; a shell script by default. */
  program(name: string, text: string, head?: string): Promise<void>
  remove(): Promise<void>
}

const OTHER_USER = 65534
/** A command line that never asks for the proof has failed. */
const LONGEST_MS = 45_000

export async function openTerminal(): Promise<PersonsTerminal> {
  const folder = await mkdtemp(join(tmpdir(), 'pml-person-'))
  const program = join(folder, 'prove.mjs')
  const socket = join(folder, 'answer')
  const entry = fileURLToPath(new URL('prove-person.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' })
  await copyFile('/usr/bin/script', join(folder, 'xterm'))
  if (process.getuid?.() === 0) await chown(join(folder, 'xterm'), OTHER_USER, OTHER_USER)
  // Runs a line, like an agent's shell tool.
  await writeScript(join(folder, 'claude'), '#!/bin/sh\nsh -c "$1"; :\n')
  const cli = join(folder, 'node_modules/@anthropic-ai/claude-code/cli.js')
  await writeScript(
    cli,
    'require("node:child_process").spawnSync("sh", ["-c", process.argv[2]], { stdio: "inherit" })\n',
  )

  let user = 0
  const { PATH = '' } = process.env
  function start(command: string, args: readonly string[]): Promise<Proof | Unproven> {
    return new Promise((done, fail) => {
      const late = setTimeout(() => end(fail, new Error('no proof was requested')), LONGEST_MS)
      const server = createServer((peer) => {
        let text = ''
        peer.on('data', (part) => (text += String(part)))
        peer.on('end', () => end(done, JSON.parse(text) as Proof | Unproven))
      })
      const end = <Value>(tell: (value: Value) => void, value: Value) => {
        clearTimeout(late)
        server.close(() => tell(value))
      }
      server.listen(socket, () => {
        const child = spawn(command, args, {
          cwd: folder,
          env: { PATH, TERM: 'xterm', SHELL: '/bin/sh' },
          stdio: 'ignore',
        })
        child.on('error', (error) => end(fail, error))
      })
    })
  }
  return {
    folder,
    ask: (more = '') => `${process.execPath} ${program} ${socket} ${user} ${more}`,
    // In its own session, because the desktop starts terminal programs and not a test runner.
    type: (line, request = {}) => {
      user = request.user ?? 0
      const asked = line.replaceAll(`${socket} 0`, `${socket} ${user}`)
      // Stays open until the proof has come, because its children end with it.
      const shown = `${asked}; while test -e ${socket}; do sleep 0.05; done`
      return start('setsid', ['-f', join(folder, 'xterm'), '-qc', shown, '/dev/null'])
    },
    run: (line) => start('sh', ['-c', line]),
    program: (name, text, head = '#!/bin/sh\n') => writeScript(join(folder, name), `${head}${text}\n`),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function writeScript(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  await chmod(path, 0o755)
}
