import { isAbsolute, join, resolve } from 'node:path'
import { PmlError } from '@pml/core/errors'
import type { World } from '../world.ts'

/** The whole paths of a file: as it was named, and where it really is. */
export function pathsOf(named: string, { cwd, world }: { cwd: string; world: World }): string[] {
  if (named === '' || named.includes('\0'))
    throw new PmlError('bad_request', 'Cannot judge the call: expected the path of a file, got none')
  // Some agents take blanks around a path away, and others keep them.
  const names = new Set([named, named.trim() || named])
  const wholes = [...names].map((name) => wholePath(name, { cwd, home: world.home }))
  return [...new Set(wholes.flatMap((whole) => [whole, world.realPath(whole)]))]
}

function wholePath(named: string, { cwd, home }: { cwd: string; home: string }): string {
  const plain = /^file:\/\//i.test(named) ? decodeURIComponent(new URL(named).pathname) : named
  if (/^~(?:[/\\]|$)/.test(plain)) return join(home, plain.slice(1))
  return isAbsolute(plain) ? resolve(plain) : resolve(cwd, plain)
}
