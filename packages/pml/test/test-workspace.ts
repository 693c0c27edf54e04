import { cp, lchown, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { depsPathOf } from '../src/workspace/consent.ts'
import { openPml, type Pml, type PmlOptions } from '../src/index.ts'
import { agreeTo } from './agree-to.ts'
import { runPml, startPml, type Outcome, type RunningPml, type RunOptions } from './pml-process.ts'

const bin = fileURLToPath(new URL('../bin/pml.js', import.meta.url))
/** The real Deno, from npm. */
export const denoPath = join(dirname(createRequire(import.meta.url).resolve('deno/package.json')), 'deno')

/** An empty folder with its own cache, and ways to use pml in it. */
export interface TestWorkspace {
  readonly root: string
  readonly cacheDir: string
  /** Messages that the library reported. */
  readonly told: string[]
  /** The environment of the library and the command. */
  readonly env: Record<string, string>
  /** The library; closed when the workspace is removed. */
  open(options?: Partial<PmlOptions>): Promise<Pml>
  /** Runs the built command without a terminal. */
  run(argv: readonly string[], options?: RunOptions): Promise<Outcome>
  /** The same as an unprivileged user, because root ignores file modes. */
  runAsUser(argv: readonly string[], options?: RunOptions): Promise<Outcome>
  start(argv: readonly string[], options?: RunOptions): RunningPml
  /** Writes `.pml.json` with the person's consent. */
  writeConfig(config: unknown): Promise<void>
  /** Writes it without consent, as a repository brings it. */
  writeForeignConfig(config: unknown): Promise<void>
  /** Undefined if the file does not exist. */
  readLock(): Promise<string | undefined>
  /** What the person consented to have installed or started. */
  readConsent(): Promise<Record<string, unknown>>
  remove(): Promise<void>
}

const NOBODY = 65534

/** The checkout may be readable for its owner only. */
export async function copyCommand(folder: string): Promise<string> {
  for (const part of ['bin', 'bundle', 'package.json'])
    await cp(join(dirname(bin), '..', part), join(folder, part), { recursive: true })
  return join(folder, 'bin', 'pml.js')
}

async function giveTo(folder: string, uid: number): Promise<void> {
  await lchown(folder, uid, uid)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await lchown(join(entry.parentPath, entry.name), uid, uid)
}

/** Tests answer prompts with programs, which the person's settings must allow. */
export async function answerAnywhere(configHome: string): Promise<void> {
  await mkdir(join(configHome, 'pml'), { recursive: true })
  await writeFile(join(configHome, 'pml', 'settings.json'), '{"proof": {"terminal": "any"}}\n')
}

export async function makeWorkspace(registryUrl: string): Promise<TestWorkspace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'pml-workspace-')))
  const [root, cacheDir] = [join(folder, 'work'), join(folder, 'cache')]
  await mkdir(root)
  await answerAnywhere(join(folder, 'config'))
  const { PATH = '', HOME = '' } = process.env
  const env = {
    PATH,
    HOME,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    PML_REGISTRY_URL: registryUrl,
    PML_CACHE_DIR: cacheDir,
    PML_DENO: denoPath,
  }
  const opened: Pml[] = []
  const told: string[] = []
  return {
    root,
    cacheDir,
    told,
    env,
    open: async (options = {}) => {
      const pml = await openPml({ workspace: root, env, tell: (message) => told.push(message), ...options })
      opened.push(pml)
      return pml
    },
    run: (argv, request = {}) =>
      runPml(bin, argv, { cwd: root, ...request, env: { ...env, ...request.env } }),
    runAsUser: async (argv, request = {}) => {
      const uid = process.getuid?.() === 0 ? NOBODY : undefined
      const readable = await copyCommand(join(folder, 'command'))
      if (uid !== undefined) await giveTo(folder, uid)
      return runPml(readable, argv, { cwd: root, uid, ...request, env: { ...env, ...request.env } })
    },
    start: (argv, request = {}) =>
      startPml(bin, argv, { cwd: root, ...request, env: { ...env, ...request.env } }),
    writeConfig: async (config) => {
      await writeFile(join(root, '.pml.json'), JSON.stringify(config, null, 2))
      await agreeTo(root, env)
    },
    writeForeignConfig: (config) => writeFile(join(root, '.pml.json'), JSON.stringify(config, null, 2)),
    readLock: () =>
      readFile(join(root, '.pml', 'mcp.lock'), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      }),
    readConsent: async () => {
      const path = depsPathOf({ root }, { env, platform: process.platform })
      const { dependencies } = JSON.parse(await readFile(path, 'utf8')) as {
        dependencies: Record<string, unknown>
      }
      return dependencies
    },
    remove: async () => {
      for (const pml of opened) await pml.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
