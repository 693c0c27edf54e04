import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fitsName, isFixed, type Guarded, type Rule } from '@pml/hooks'
import { agents } from '@pml/hooks/agents'
import { plainPath } from '@pml/core/path-glob'
import { agentFolderOf } from '../../agents/agent-folder.ts'
import { fileNameOf } from '../../machine/files/sha256.ts'
import { PACKAGE_FOLDER } from '../../machine/package-name.ts'
import type { HookPlace } from '../world/hook-place.ts'
import type { Start } from './survey.ts'

/** Files that are watched together: those of a project, of an installed pml, or of the home. */
export interface Territory {
  readonly name: string
  /** The folder with its memory. */
  readonly folder: string
  /** The folder of an installed pml, whose files are judged as a whole. */
  readonly pml?: string
  readonly starts: readonly Start[]
  /** Changes when the rules change. */
  readonly scope: string
  isProtected(path: string): boolean
  /** Whether a rule that no policy can switch off protects the path. */
  isGuard(path: string): boolean
  isLeftOut(path: string): boolean
  /** Whether a session with these roots watches it. */
  isSeenFrom(roots: readonly string[]): boolean
  /** Whether a session with these roots must have surveyed it. */
  isExpected(roots: readonly string[]): boolean
}

/** The name of the territory of the home. */
export const HOME = 'home'
/** The prefix of territories of an installed pml. */
const PML = 'pml '
const DEEP = 64
/** Guarded files in `.pml`; pml itself writes the others during calls. */
const guardsInState = new Set(['enforcement.json', 'mcp.lock', 'servers', 'mcp'])

/** The territories of these roots, of the running pml and those in the roots, and of the home. */
export function territoriesOf(
  guarded: readonly Guarded[],
  roots: readonly string[],
  place: HookPlace,
): Territory[] {
  const home = realOf(place.home)
  const projects = [...new Set(roots.map(realOf))].filter((root) => root !== home)
  const installed = projects.map((root) => join(root, ...PACKAGE_FOLDER)).filter(isFolder)
  const scope = scopeOf(guarded, place)
  return [
    ...projects.map((root) => projectOf(root, { guarded, place, scope })),
    ...[...new Set([...place.installation.map(realOf), ...installed])].map((path) => pmlOf(path, place)),
    territoryOf(HOME, homeStarts(home, place), { guarded, place, scope, isLeftOut: () => false }),
  ]
}

function projectOf(root: string, { guarded, place, scope }: Omit<Looking, 'isLeftOut'>): Territory {
  const starts = [
    { path: root, depth: DEEP },
    { path: join(root, 'node_modules', '.bin'), depth: 0 },
  ]
  const state = join(root, '.pml')
  const isLeftOut = (path: string) => dirname(path) === state && !guardsInState.has(basename(path))
  const isOfSession = (roots: readonly string[]) => roots.includes(root)
  const territory = territoryOf(root, starts, { guarded, place, scope, isLeftOut })
  return { ...territory, isSeenFrom: isOfSession, isExpected: isOfSession }
}

function pmlOf(path: string, place: HookPlace): Territory {
  return {
    name: `${PML}${path}`,
    folder: territoryFolder(`${PML}${path}`, place),
    pml: path,
    starts: ['bin', 'bundle'].map((name) => ({ path: join(path, name), depth: DEEP })),
    scope: '',
    isProtected: () => true,
    isGuard: () => true,
    isLeftOut: () => false,
    isSeenFrom: () => true,
    isExpected: () => place.installation.some((one) => realOf(one) === path),
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Folders to survey in the home. The folders of agents contain much else, so only those that rules cover are surveyed. */
function homeStarts(home: string, { env, managed, config }: HookPlace): Start[] {
  const ofAgents = agents.flatMap((agent) => {
    // Without the variable a program uses the other folder.
    const folders = new Set([env, {}].map((env) => agentFolderOf(agent, { home, env }).folder))
    return agent.home ? [...folders].flatMap((path) => startsIn(path, agent.home?.deep)) : []
  })
  const ofAdministrators = agents.flatMap(({ admin }) => {
    if (!admin) return []
    return [admin.paths ? managed : join(dirname(managed), admin.name)]
  })
  return [
    ...ofAgents,
    ...ofAdministrators.map((path) => ({ path, depth: 1 })),
    { path: config, depth: DEEP },
  ].map(({ path, depth }) => ({ path: realOf(path), depth }))
}

function startsIn(path: string, deep: Readonly<Record<string, number>> = {}): Start[] {
  const below = Object.entries({ hooks: DEEP, ...deep })
  return [{ path, depth: 0 }, ...below.map(([name, depth]) => ({ path: join(path, name), depth }))]
}

interface Looking {
  readonly guarded: readonly Guarded[]
  readonly place: HookPlace
  readonly scope: string
  isLeftOut(path: string): boolean
}

function territoryOf(
  name: string,
  starts: readonly Start[],
  { guarded, place, scope, isLeftOut }: Looking,
): Territory {
  const scopes = guarded.map(({ root, policy }) => ({
    root: `${root}/`,
    rules: policy.rules.filter(({ tools }) =>
      tools.some((tool) => tool === 'write' || fitsName(tool, 'Bash')),
    ),
  }))
  const isInScope = (isMeant: (rule: Rule) => boolean) => (path: string) => {
    const whole = plainPath(path.normalize('NFC'))
    return scopes.some(({ root, rules }) => {
      const relative = whole.startsWith(root) ? plainPath(whole.slice(root.length)) : undefined
      return rules.some((rule) => isMeant(rule) && rule.isInScope({ whole, relative }))
    })
  }
  const isBeside = (path: string) => /\.(?:held|tmp)$/.test(path)
  return {
    name,
    folder: territoryFolder(name, place),
    starts,
    scope,
    isProtected: isInScope(() => true),
    isGuard: isInScope(({ id }) => isFixed(id)),
    isLeftOut: (path) => isBeside(path) || isLeftOut(path),
    isSeenFrom: () => true,
    isExpected: () => true,
  }
}

/** The memory folders of these roots, of every pml and of the home. */
export function foldersOf(roots: readonly string[], place: Pick<HookPlace, 'state'>): string[] {
  const start = encodeURIComponent(PML)
  const all = join(place.state, 'witness')
  const ofPml = list(all).filter((name) => name.startsWith(start))
  return [
    ...[...roots, HOME].map((name) => territoryFolder(name, place)),
    ...ofPml.map((name) => join(all, name)),
  ]
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The memory folder of a territory. */
export function territoryFolder(name: string, { state }: Pick<HookPlace, 'state'>): string {
  return join(state, 'witness', fileNameOf(name))
}

/** Identifies the rules by the text of their policies. */
function scopeOf(guarded: readonly Guarded[], { defaults }: HookPlace): string {
  return JSON.stringify([defaults, ...guarded.map(({ policy }) => policy.file)].map(textIn))
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** The path with links resolved; the path itself if it does not exist. */
export function realOf(path: string): string {
  // Most paths do not exist, and creating an error is slow.
  if (!existsSync(path)) return path
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
