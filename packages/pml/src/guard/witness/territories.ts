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

/** Files that are looked after together: those of a project, of an installed pml, or of the person's home. */
export interface Territory {
  readonly name: string
  /** Where what is known of it is kept. */
  readonly folder: string
  /** The folder of an installed pml. Nobody approves its files one by one, and half of another version is worth nothing. */
  readonly pml?: string
  readonly starts: readonly Start[]
  /** Another one when the rules are others. */
  readonly scope: string
  isProtected(path: string): boolean
  /** By a rule that no policy switches off. */
  isGuard(path: string): boolean
  isLeftOut(path: string): boolean
  /** Whether a session with these roots looks at it. */
  isSeenFrom(roots: readonly string[]): boolean
  /** Whether a session that had these roots must have looked at it. */
  isExpected(roots: readonly string[]): boolean
}

/** The name of the one that is no project. */
export const HOME = 'home'
/** How the names of those begin that are an installed pml. */
const PML = 'pml '
const DEEP = 64
/** What guards agents in `.pml`; pml itself writes the rest while they work. */
const guardsInState = new Set(['enforcement.json', 'mcp.lock', 'servers', 'mcp'])

/** Of these roots, of the pml that runs and those of the roots, and of the home. */
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

/** The folders of agents are full of things that are no settings: only those that rules speak of are looked into. */
function homeStarts(home: string, { env, managed, config }: HookPlace): Start[] {
  const ofAgents = agents.flatMap((agent) => {
    // A program that is started without the variable finds the other one.
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

/** Where what is known of these roots, of every pml and of the home is kept. */
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

/** Where what is known of one is kept. */
export function territoryFolder(name: string, { state }: Pick<HookPlace, 'state'>): string {
  return join(state, 'witness', fileNameOf(name))
}

/** Policies that say the same are the same. */
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

/** The path itself where there is nothing. */
export function realOf(path: string): string {
  // Most are not there, and an error takes long to make.
  if (!existsSync(path)) return path
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
