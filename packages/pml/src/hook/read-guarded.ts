import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PmlError } from '@pml/core/errors'
import { compileLate, makePolicy, parsePolicy, type Guarded, type Policy, type PolicyJson } from '@pml/hooks'

export interface GuardedPlaces {
  /** The file of the built-in policy. */
  readonly defaults: string
  /** Folders of `pml` itself. */
  readonly installation: readonly string[]
  /** Folders that the call may belong to. */
  readonly folders: readonly string[]
}

const marks = [join('.pml', 'enforcement.json'), '.pml.json', join('.pml', 'mcp.lock')]

/** Every workspace that one of the folders is in, with its policy: nobody gets out of one by changing the folder. */
export function readGuarded({ defaults, installation, folders }: GuardedPlaces): Guarded[] {
  // It is part of this program, and was checked with it.
  const json = JSON.parse(readFileSync(defaults, 'utf8')) as PolicyJson
  const builtIn = makePolicy(json, 'the built-in policy', {
    compile: compileLate,
    examples: 'skip',
    installation,
  })
  const roots = new Set(folders.map((folder) => rootOf(resolve(folder))))
  return [...roots].map((root) => ({ root, policy: policyOf(root, { base: builtIn, installation }) }))
}

/** The nearest folder upwards that has something of ours, else the one that is a repository, else the folder itself. */
function rootOf(folder: string): string {
  const up = upwards(folder)
  const own = up.find((one) => marks.some((mark) => existsSync(join(one, mark))))
  return own ?? up.find((one) => existsSync(join(one, '.git'))) ?? folder
}

function upwards(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...upwards(parent)]
}

function policyOf(
  root: string,
  { base, installation }: { base: Policy; installation: readonly string[] },
): Policy {
  const file = join(root, '.pml', 'enforcement.json')
  const text = findText(file)
  if (text === undefined) return base
  try {
    return parsePolicy(text, file, { compile: compileLate, examples: 'skip', installation, base })
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

function findText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new PmlError('invalid_config', `Cannot read ${file}: ${code ?? message}; mend it, or remove it`)
  }
}
