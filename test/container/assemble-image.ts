import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { contextFiles } from './build-context.ts'
import { commandOf, pairsIn, parseDockerfile, type Instruction, type Stage } from './dockerfile.ts'

/** The files of a built image, below a folder. */
export interface Image {
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly cmd: readonly string[]
  readonly healthcheck: readonly string[]
  readonly stopSignal: string
  readonly volumes: readonly string[]
  readonly ports: readonly string[]
}

type Draft = { -readonly [Key in keyof Image]: Image[Key] }

interface Building {
  readonly context: string
  readonly scratch: string
  readonly built: Map<string, Draft>
}

/** Folders of the image that are in a temp directory here; commands get the real path. */
const OWN_FOLDERS = /(?<![\w.-])\/(app|production|data)(?![\w-])/g

/**
 * Builds a folder's Dockerfile without a container engine: copies files and runs commands in /bin/sh on this machine, with the
 * caller's npm and pnpm caches. This machine stands for the base images. Commands of the last stage change accounts and the
 * system, so they are returned instead of run.
 */
export function assembleImage(
  folder: string,
  scratch: string,
): { image: Image; systemCommands: readonly string[] } {
  const context = join(scratch, 'context')
  for (const path of contextFiles(folder)) copy(join(folder, path), join(context, path))
  const building: Building = { context, scratch, built: new Map() }
  const stages = parseDockerfile(readFileSync(join(folder, 'Dockerfile'), 'utf8'))
  const last = stages.pop()
  if (!last) throw new Error('The Dockerfile has no stage')
  for (const stage of stages) {
    const draft = begin(building, stage)
    for (const instruction of stage.instructions) apply(building, draft, instruction)
    building.built.set(stage.name ?? '', draft)
  }
  const image = begin(building, last)
  for (const instruction of last.instructions)
    if (instruction.name !== 'RUN') apply(building, image, instruction)
  const systemCommands = last.instructions.filter(({ name }) => name === 'RUN').map(({ rest }) => rest)
  return { image, systemCommands }
}

/** A path or text of the image with real paths. */
export function placed(root: string, text: string): string {
  return text.replace(OWN_FOLDERS, (path) => join(root, path))
}

function begin({ scratch, built }: Building, { base, name = 'image' }: Stage): Draft {
  const root = join(scratch, name)
  mkdirSync(root, { recursive: true })
  const parent = built.get(base)
  if (!parent) {
    const nothing = { workdir: '/', env: {}, user: 'root', cmd: [], healthcheck: [], stopSignal: '' }
    return { root, ...nothing, volumes: [], ports: [] }
  }
  share(parent.root, root)
  return { ...parent, root }
}

function apply(building: Building, draft: Draft, { name, flags, rest, line }: Instruction): void {
  const fail = (why: string) => new Error(`Dockerfile line ${line}: ${name} ${rest}: ${why}`)
  const unknown = Object.keys(flags).filter((flag) => !(allowedFlags[name] ?? []).includes(flag))
  if (unknown.length > 0) throw fail(`unknown flag ${unknown.join(', ')}`)
  switch (name) {
    case 'ENV':
      draft.env = { ...draft.env, ...pairsIn(rest) }
      return
    case 'WORKDIR':
      draft.workdir = rest
      mkdirSync(join(draft.root, rest), { recursive: true })
      return
    case 'COPY':
      return copyInto(building, draft, { from: flags['from'], rest, fail })
    case 'RUN':
      return run(draft, rest, fail)
    case 'USER':
      draft.user = rest
      return
    case 'VOLUME':
      draft.volumes = [...draft.volumes, rest]
      return
    case 'EXPOSE':
      draft.ports = [...draft.ports, rest]
      return
    case 'STOPSIGNAL':
      draft.stopSignal = rest
      return
    case 'HEALTHCHECK':
      draft.healthcheck = commandOf(rest.replace(/^CMD\s+/, ''))
      return
    case 'CMD':
      draft.cmd = commandOf(rest)
      return
    default:
      throw fail('this test does not know what it does')
  }
}

const allowedFlags: Readonly<Record<string, readonly string[]>> = {
  COPY: ['from'],
  HEALTHCHECK: ['interval', 'timeout', 'start-period', 'retries'],
}

function copyInto(
  { context, built }: Building,
  { root, workdir }: Draft,
  { from, rest, fail }: { from: string | undefined; rest: string; fail: (why: string) => Error },
): void {
  const words = rest.split(/\s+/)
  const target = words.pop() ?? ''
  const sourceRoot = from === undefined ? context : built.get(from)?.root
  if (sourceRoot === undefined) throw fail(`there is no stage ${from}`)
  if (words.length > 1 && !target.endsWith('/')) throw fail('several sources need a folder to go to')
  const place = target.startsWith('/') ? join(root, target) : join(root, workdir, target)
  for (const word of words) {
    const source = join(sourceRoot, word)
    if (!existsSync(source)) throw fail(`there is no ${word} in ${from ?? 'the build context'}`)
    // A folder is copied by its content, a file by its name into a target folder.
    const asFile = !statSync(source).isDirectory() && target.endsWith('/')
    const bring = from === undefined ? copy : share
    bring(source, asFile ? join(place, basename(word)) : place)
  }
}

function run({ root, workdir, env }: Draft, rest: string, fail: (why: string) => Error): void {
  const [file = '', ...args] = commandOf(placed(root, rest))
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    cwd: join(root, workdir),
    env: { ...process.env, NODE_ENV: '', ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw fail(`${error?.message ?? `it exited with ${status}`}\n${stdout}${stderr}`)
}

/** Copies files from the repository and links files from stages, because a tree of packages is large. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true })
}

function share(from: string, to: string): void {
  const stats = lstatSync(from)
  if (stats.isDirectory()) {
    mkdirSync(to, { recursive: true })
    for (const name of readdirSync(from)) share(join(from, name), join(to, name))
    return
  }
  mkdirSync(dirname(to), { recursive: true })
  rmSync(to, { force: true })
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else linkSync(from, to)
}
