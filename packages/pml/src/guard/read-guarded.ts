import { existsSync, readFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PmlError } from '@pml/core/errors'
import {
  compileLate,
  makePolicy,
  parsePolicy,
  type Guarded,
  type Policy,
  type PolicyJson,
  type PolicyReading,
} from '@pml/hooks'
import { readRegular } from '../machine/files/read-plain-file.ts'

interface GuardedPlaces {
  /** The path of the built-in policy. */
  readonly defaults: string
  /** The folders of pml itself. */
  readonly installation: readonly string[]
  /** Folders with the user's decisions; with `/*` at the end only their `.json` files. */
  readonly kept: readonly string[]
  /** The folders that the call may belong to. */
  readonly folders: readonly string[]
  /** The folder that remembers valid policies, if any. */
  readonly cache?: string
}

/** Far more than any policy. */
export const POLICY_LIMIT_BYTES = 1024 * 1024
const marks = [join('.pml', 'enforcement.json'), '.pml.json', join('.pml', 'mcp.lock')]

/** The workspaces that contain these folders, with their policies: changing the folder does not escape one. */
export function readGuarded(places: GuardedPlaces): Guarded[] {
  const { defaults, folders } = places
  const installation = [...places.installation, ...places.kept]
  // The built-in policy was validated at build time.
  const builtIn = readFileSync(defaults, 'utf8')
  const reading = { compile: compileLate, examples: 'skip', installation } as const
  const base = makePolicy(JSON.parse(builtIn) as PolicyJson, 'the built-in policy', reading)
  const roots = new Set(folders.map((folder) => rootOf(resolve(folder))))
  const context = { reading: { ...reading, base }, cache: places.cache, over: builtIn.length }
  return [...roots].map((root) => ({ root, policy: policyOf(root, context) }))
}

/** The nearest parent folder with a file of pml, else the repository, else the folder itself. */
export function rootOf(folder: string): string {
  const up = upwards(folder)
  const own = up.find((one) => marks.some((mark) => existsSync(join(one, mark))))
  return own ?? up.find((one) => existsSync(join(one, '.git'))) ?? folder
}

function upwards(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...upwards(parent)]
}

interface Reading {
  readonly reading: PolicyReading & { readonly base: Policy }
  readonly cache: string | undefined
  /** Identifies the built-in policy. */
  readonly over: number
}

function policyOf(root: string, { reading, cache, over }: Reading): Policy {
  const file = join(root, '.pml', 'enforcement.json')
  const source = findSource(file)
  if (!source) return reading.base
  const { text } = source
  const mark = cache === undefined ? undefined : goodMark(cache, { file, stamp: `${source.stamp} ${over}` })
  if (mark?.isKnown()) return makePolicy(JSON.parse(text) as PolicyJson, file, reading)
  try {
    const policy = parsePolicy(text, file, reading)
    mark?.remember()
    return policy
  } catch (error) {
    throw error instanceof PmlError ? new UnreadablePolicy(error, { text, file }) : error
  }
}

/** `explainProblems` turns it into a message; that loads a parser which decisions do not need. */
export class UnreadablePolicy extends Error {
  override readonly cause: PmlError
  readonly source: { readonly text: string; readonly file: string }

  constructor(cause: PmlError, source: UnreadablePolicy['source']) {
    super(cause.message)
    this.cause = cause
    this.source = source
  }
}

interface Source {
  readonly text: string
  /** Changes with every change: the ctime cannot be set. */
  readonly stamp: string
}

function findSource(file: string): Source | undefined {
  try {
    const { bytes, info } = readRegular(file, POLICY_LIMIT_BYTES)
    return {
      text: bytes.toString('utf8'),
      stamp: `${info.ino} ${info.size} ${info.mtimeNs} ${info.ctimeNs}`,
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new PmlError('invalid_config', `Cannot read ${file}: ${code ?? message}; fix it, or remove it`)
  }
}

interface Marked {
  readonly file: string
  /** Changes with every change of the file. */
  readonly stamp: string
}

/**
 * Remembers that a policy is valid, so that it is not validated before every call. Anyone who can write to this folder could
 * also change pml itself: the hook guards both.
 */
function goodMark(cache: string, { file, stamp }: Marked): { isKnown(): boolean; remember(): void } {
  const folder = join(cache, 'hooks', 'checked')
  const mark = join(folder, file.replaceAll(/\W/g, '_').slice(-150))
  const text = `${file}\n${stamp}\n`
  return {
    isKnown: () => {
      try {
        return readFileSync(mark, 'utf8') === text
      } catch {
        return false
      }
    },
    remember: () => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(mark, text, { mode: 0o600 })
      } catch {
        // The next call validates again.
      }
    },
  }
}
