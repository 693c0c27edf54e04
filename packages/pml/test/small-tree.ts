import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { canonicalJson, integrityOf, type JsonObject } from '@pml/core'
import { lockBytes, parsePin, type Pin } from '@pml/core/pins'
import type { installTree } from '../src/npm/install-tree.ts'

type LockedTree = Parameters<typeof installTree>[1]

const pins = new URL('../../../config/pins/', import.meta.url)

export async function readPin(server: string): Promise<Pin> {
  const file = fileURLToPath(new URL(`${server}.json`, pins))
  return parsePin(await readFile(file, 'utf8'), file)
}

export function treeOf(pin: Pick<Pin, 'lock' | 'bin'>): LockedTree {
  const lock = lockBytes(pin)
  return { lock, integrity: integrityOf(lock), bin: pin.bin }
}

/** Any content of a lock, valid or not. */
export function lockedTree(lock: JsonObject, bin: string): LockedTree {
  const bytes = new TextEncoder().encode(canonicalJson(lock))
  return { lock: bytes, integrity: integrityOf(bytes), bin }
}

/** Two packages of the pinned memory server as a tree of their own: quick to install. */
export async function smallLock() {
  const { packages } = (await readPin('memory')).lock
  const [which, isexe] = [packages['node_modules/which'], packages['node_modules/isexe']]
  return {
    name: 'pin',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'pin', dependencies: { which: which?.version } },
      'node_modules/which': { ...which },
      'node_modules/isexe': { ...isexe },
    },
  }
}

export const smallBin = 'node_modules/which/bin/node-which'
