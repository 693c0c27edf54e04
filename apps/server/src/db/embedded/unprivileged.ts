import { readFileSync, statSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { PmlError } from '@pml/core'

/** How root starts a program that refuses to run as root. */
export interface Unprivileged {
  readonly uid: number
  readonly gid: number
  /** A command prefix; empty if the spawn options are enough. */
  readonly prefix: readonly string[]
}

/**
 * Finds a user to run Postgres as. If that user cannot reach the paths, such as in root's 0700 home, the prefix grants
 * it CAP_DAC_READ_SEARCH and no other capability.
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
      'Cannot start the embedded Postgres as root: there is no user postgres or nobody; set DATABASE_URL',
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
  // Without this bit, access(2) ignores the capability, and Postgres calls it on its own binaries.
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

/** Returns the owner of existing data, unless that is root. */
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
