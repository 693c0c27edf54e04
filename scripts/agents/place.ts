import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../bench/root.ts'
import type { Json } from '../../packages/pml/src/agents/live/model/dialect.ts'

const run = promisify(execFile)
const PML_TIMEOUT_MS = 120_000
export const pmlCommand = join(root, 'packages', 'pml', 'bin', 'pml.js')

/** An address without a server. */
export const NOBODY = 'http://127.0.0.1:9'

/** The empty machine of a scenario. */
export interface Place {
  /** The folder with the installed agent. */
  readonly installed: string
  readonly project: string
  readonly home: string
  /** The whole environment of the agent and pml. */
  readonly env: Readonly<Record<string, string>>
  /** Runs the built pml in the project as its person; throws unless it exits with 0. */
  pml(...argv: readonly string[]): Promise<string>
  /** The same with any exit code. */
  tryPml(...argv: readonly string[]): Promise<{ stdout: string }>
  /** Adds a program to PATH. */
  putProgram(name: string, target: string): Promise<void>
  remove(): Promise<void>
}

/** In the cache, because Codex refuses a home in the system's temp folder. */
export async function makePlace(
  runs: string,
  { installed, env }: { installed: string; env: Readonly<Record<string, string>> },
): Promise<Place> {
  await mkdir(runs, { recursive: true })
  const folder = await realpath(await mkdtemp(join(runs, 'run-')))
  const [project, home, programs] = [join(folder, 'project'), join(folder, 'home'), join(folder, 'programs')]
  for (const path of [project, home, programs]) await mkdir(path)
  const all = {
    PATH: [programs, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    ...env,
  }
  // Scenarios answer prompts for their person.
  await putFile(join(home, '.config', 'pml', 'settings.json'), '{"proof": {"terminal": "any"}}\n')
  const pml = (argv: readonly string[]) =>
    run(process.execPath, [pmlCommand, ...argv], { cwd: project, env: all, timeout: PML_TIMEOUT_MS })
  return {
    installed,
    project,
    home,
    env: all,
    pml: async (...argv) => (await pml(argv)).stdout,
    tryPml: (...argv) => pml(argv).catch((error: { stdout: string }) => error),
    putProgram: (name, target) => symlink(target, join(programs, name)),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export async function putFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

/** Undefined if the file does not exist. */
export async function findFile(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

export async function changeJson(path: string, change: (value: Json) => Json): Promise<void> {
  const before = JSON.parse((await findFile(path)) ?? '{}') as Json
  await putFile(path, `${JSON.stringify(change(before), null, 2)}\n`)
}
