import { isAbsolute, join, posix, resolve } from 'node:path'
import { PmlError } from '@pml/core/errors'
import type { World } from '../world.ts'

interface NamedPlace {
  readonly cwd: string
  readonly world: World
}

/**
 * The absolute paths of a file: as named, its other names, and last its real path. `written` is the word of a command line from
 * which `named` was made.
 */
export function pathsOf(named: string, { cwd, world }: NamedPlace, written = named): string[] {
  if (named === '' || named.includes('\0'))
    throw new PmlError('bad_request', 'Cannot judge the call: expected the path of a file, got none')
  // Some agents strip blanks around a path, others keep them.
  const names = [...new Set([named, named.trim() || named])]
  const wholes = names.map((name) => wholePath(name, { cwd, home: world.home }))
  const paths = [...new Set(wholes.flatMap((whole) => [whole, world.realPath(whole)]))]
  const unresolved = upwardsIn(named, { written, cwd, home: world.home })
  const last = unresolved === undefined ? paths.at(-1) : resolve(world.realPath(unresolved))
  const real = last ?? named
  return [...paths.filter((path) => path !== real), ...world.otherNames(real), real]
}

interface Naming {
  readonly cwd: string
  readonly home: string
}

function wholePath(named: string, { cwd, home }: Naming): string {
  const plain = plainOf(named)
  if (/^~(?:[/\\]|$)/.test(plain)) return join(home, plain.slice(1))
  return isAbsolute(plain) ? resolve(plain) : resolve(cwd, plain)
}

const upwards = /(?:^|\/)\.\.(?:\/|$)/

/** The path with its original `..`, which mean something else after a link; undefined if there are none. */
function upwardsIn(
  named: string,
  { written, cwd, home }: Naming & { readonly written: string },
): string | undefined {
  const word = plainOf(written)
  if (!upwards.test(word) || /^[a-z]:|\\/i.test(word)) return undefined
  if (word.startsWith('/')) return word
  if (word.startsWith('~/')) return `${home}${word.slice(1)}`
  // A command line may have changed its folder; the absolute path before the word is that folder.
  const tail = posix.normalize(word)
  const isBehind = written !== named && !tail.startsWith('..') && named.endsWith(`/${tail}`)
  return isBehind ? `${named.slice(0, -tail.length)}${word}` : `${cwd}/${word}`
}

function plainOf(named: string): string {
  return /^file:\/\//i.test(named) ? decodeURIComponent(new URL(named).pathname) : named
}
