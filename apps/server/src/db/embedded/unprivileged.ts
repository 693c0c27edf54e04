import { readFileSync, statSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { PmlError } from '@pml/core'

/** How to start a program that refuses to run as root. */
export interface Unprivileged {
  readonly uid: number
  readonly gid: number
  /** Command and arguments to put in front; empty where the spawn options are enough. */
  readonly prefix: readonly string[]
}

/**
 * Root may keep its data where no other user can go (a 0700 home or temp directory). Then the other user gets the one
 * capability to pass through directories, and nothing else of root's.
 */
export function findUnprivileged({
  owned,
  needed,
}: {
  owned: string
  needed: readonly string[]
}): Unprivileged {
  const user = ownerOf(owned) ?? accountNamed('postgres') ?? accountNamed('nobody')
  if (!user)
    throw new PmlError(
      'unavailable',
      'Cannot start the embedded Postgres as root: there is no user nobody; set DATABASE_URL',
    )
  const blocked = needed.find((path) => !canReach(user, path))
  if (blocked === undefined) return { ...user, prefix: [] }
  if (spawnSync('setpriv', ['--version']).status !== 0) {
    throw new PmlError(
      'unavailable',
      `Cannot start the embedded Postgres as root: uid ${user.uid} cannot reach ${blocked}; set DATABASE_URL, choose another PML_DATA_DIR, or start as another user`,
    )
  }
  const capability = '+dac_read_search'
  // Without the bit, access(2) would leave the capability out of account, and Postgres asks it about its own binaries.
  const ids = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup',
  ]
  return {
    ...user,
    prefix: ['setpriv', ...ids, `--inh-caps=${capability}`, `--ambient-caps=${capability}`, '--'],
  }
}

interface Account {
  readonly uid: number
  readonly gid: number
}

/** Data that an earlier start gave to a user stays that user's. */
function ownerOf(path: string): Account | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && stats.uid !== 0 ? { uid: stats.uid, gid: stats.gid } : undefined
}

function accountNamed(name: string): Account | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

function canReach(user: Account, path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (folder === dirname(folder)) return true
  }
}
