import { printLockfile, withEntry } from '@pml/core'
import { writeFile } from 'node:fs/promises'
import { openLockStore } from '../../packages/pml/src/workspace/lock-store.ts'
import { openWorkspaceConfig } from '../../packages/pml/src/workspace/workspace-config-file.ts'
import { openWorkspaceTrust } from '../../packages/pml/src/workspace/workspace-trust.ts'
import { workspaceFilesOf } from '../../packages/pml/src/workspace/workspace-files.ts'
import type { Bench } from '../bench.ts'
import { timed, type Timed } from './alternate.ts'
import { makeBenchWorkspace } from './bench-workspace.ts'
import { compare } from './compare.ts'
import { allowRules, lockedEntry, lockOf } from './locked-entries.ts'

const LARGE = 10_000
const SMALL = 1000
const rounds = { warmUps: 10, rounds: 40 }

/** The cost of reading, checking, extending and saving a lockfile in a fresh process. */
export async function measureLock(bench: Bench): Promise<void> {
  if (!bench.wanted.has('lock-10k') && !bench.wanted.has('lock-growth')) return
  const large = await addOne(bench, LARGE)
  if (bench.wanted.has('lock-10k'))
    await compare(bench, 'lock-10k', {
      ...rounds,
      ours: large,
      peer: parseAndPrint(printLockfile(lockOf(LARGE))),
      against: 'JSON.parse and JSON.stringify',
    })
  if (bench.wanted.has('lock-growth'))
    await compare(bench, 'lock-growth', {
      ...rounds,
      ours: large,
      peer: await addOne(bench, SMALL),
      against: `${SMALL} entries`,
    })
}

async function addOne({ stops }: Bench, count: number): Promise<Timed> {
  const lockfile = lockOf(count)
  const { root, lockFile, env } = await makeBenchWorkspace(stops, { allow: allowRules(), lockfile })
  const [text, added] = [printLockfile(lockfile), lockedEntry(count)]
  const files = workspaceFilesOf(root)
  return async () => {
    await writeFile(lockFile, text)
    const { platform } = process
    const trust = openWorkspaceTrust(files, {
      env,
      platform,
      isGivenByOperator: false,
      isClaimedBy: undefined,
    })
    const config = openWorkspaceConfig(files.config, trust)
    const store = openLockStore({ files, config, isFrozen: false, tell: fail })
    return timed(async () => {
      await store.read()
      const { entries } = await store.update((current) => withEntry(current, added))
      if (entries.size !== count + 1) throw new Error(`Cannot add to ${count} entries: got ${entries.size}`)
    })
  }
}

function parseAndPrint(text: string): Timed {
  return () =>
    timed(() => {
      if (JSON.stringify(JSON.parse(text), null, 2).length < LARGE) throw new Error('unreachable')
    })
}

function fail(message: string): never {
  throw new Error(`Cannot measure a lockfile that is cleaned: ${message}`)
}
