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
  /** The file of the built-in policy. */
  readonly defaults: string
  /** Folders of `pml` itself. */
  readonly installation: readonly string[]
  /** What it takes for its user's word: folders, and with `/*` at the end the `.json` files of one. */
  readonly kept: readonly string[]
  /** Folders that the call may belong to. */
  readonly folders: readonly string[]
  /** Where policies that were found good are remembered, if anywhere. */
  readonly cache?: string
}

/** Far more than a policy has. */
export const POLICY_LIMIT_BYTES = 1024 * 1024
const marks = [join('.pml', 'enforcement.json'), '.pml.json', join('.pml', 'mcp.lock')]

/** Every workspace that one of the folders is in, with its policy: nobody gets out of one by changing the folder. */
export function readGuarded(places: GuardedPlaces): Guarded[] {
  const { defaults, folders } = places
  const installation = [...places.installation, ...places.kept]
  // It is part of this program, and was checked with it.
  const builtIn = readFileSync(defaults, 'utf8')
  const reading = { compile: compileLate, examples: 'skip', installation } as const
  const base = makePolicy(JSON.parse(builtIn) as PolicyJson, 'the built-in policy', reading)
  const roots = new Set(folders.map((folder) => rootOf(resolve(folder))))
  const context = { reading: { ...reading, base }, cache: places.cache, over: builtIn.length }
  return [...roots].map((root) => ({ root, policy: policyOf(root, context) }))
}

/** The nearest folder upwards that has something of ours, else the one that is a repository, else the folder itself. */
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
  /** What tells one built-in policy from another. */
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

/** `explainProblems` makes of it what a person needs; it takes a parser that a decision does without. */
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
  /** Another one after every change: nobody sets the time of the inode. */
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
    throw new PmlError('invalid_config', `Cannot read ${file}: ${code ?? message}; mend it, or remove it`)
  }
}

interface Marked {
  readonly file: string
  /** Another one after every change of the file. */
  readonly stamp: string
}

/**
 * Remembers that a policy was found good, so that it is looked through once and not before every call. Who can write here
 * could as well change this program: the cache is guarded with it.
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
        // The next call looks again.
      }
    },
  }
}
