import { IntegrityError, PmlError } from '../errors.ts'
import { findIntegrity, hexOf, SHORTEST_HASH, type Integrity } from '../integrity.ts'
import { JsonSource } from '../json-source.ts'
import { findReference, type Name } from '../names.ts'
import type { LockedEntry, LockedType, Lockfile } from './lockfile.ts'
import { printLockfile } from './print-lockfile.ts'

const VERSION = 1
const conflictMarker = /^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/m
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/
const types: ReadonlySet<unknown> = new Set<LockedType>(['deno', 'stdio', 'http'])
const members: ReadonlySet<string> = new Set(['integrity', 'fetchedAt', 'type', 'routing'])
const MEND = 'restore the file from version control'

/**
 * Throws `invalid_lockfile`, naming the file, the place and the fix: an unreadable lockfile is never an empty one. An entry
 * whose hash does not fit its integrity is an `integrity_mismatch`.
 */
export function parseLockfile(text: string, file: string): Lockfile {
  const conflict = conflictMarker.exec(text)
  if (conflict) throw conflicted(file, text, conflict.index)
  const lockfile = readLockfile(tryJson(text) ?? strictly(text, file), file)
  // A text in another layout may contain duplicates, which only the strict parser finds.
  if (printLockfile(lockfile) !== text) strictly(text, file)
  return lockfile
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function strictly(text: string, file: string): unknown {
  try {
    const source = new JsonSource(text, file)
    source.requireSound()
    return JSON.parse(source.text)
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    throw new PmlError('invalid_lockfile', `${error.message}; ${MEND}`)
  }
}

function readLockfile(value: unknown, file: string): Lockfile {
  const { version, entries, ...others } = requireObject(value, file, 'the file')
  if (version !== VERSION) throw unknownVersion(file, version)
  const [other] = Object.keys(others)
  if (other !== undefined) throw wrong(file, `it has an unknown member '${other.slice(0, 80)}'`)
  const written = requireObject(entries, file, 'entries')
  const read = new Map<Name, LockedEntry>()
  for (const fqdn in written) {
    const locked = readEntry(fqdn, written[fqdn], file)
    if (read.has(locked.name)) throw wrong(file, `it has two entries for ${locked.name}, expected one`)
    read.set(locked.name, locked)
  }
  return { entries: read }
}

function readEntry(fqdn: string, value: unknown, file: string): LockedEntry {
  const place = `entry '${fqdn.slice(0, 400)}'`
  const reference = findReference(fqdn)
  if (reference?.hash === undefined) throw wrong(file, `${place} is not named by a name and a hash`)
  const { name, hash } = reference
  const entry = requireObject(value, file, place)
  for (const key in entry)
    if (!members.has(key)) throw wrong(file, `${place} has an unknown member '${key.slice(0, 80)}'`)
  const { integrity: written, fetchedAt, type, routing } = entry
  const integrity = typeof written === 'string' ? findIntegrity(written) : undefined
  if (!integrity) throw wrong(file, `${place}: integrity is not sha256- and 64 lowercase hex characters`)
  if (hash.length < SHORTEST_HASH) throw wrong(file, `${place}: its hash has less than 4 characters`)
  if (!hexOf(integrity).startsWith(hash)) throw changed(file, { place, hash, integrity })
  if (typeof fetchedAt !== 'string' || !instantPattern.test(fetchedAt))
    throw wrong(file, `${place}: fetchedAt is not a time like 2026-01-07T12:00:00Z`)
  if (!types.has(type)) throw wrong(file, `${place}: type is not deno, stdio or http`)
  if (routing !== 'client' && routing !== 'server')
    throw wrong(file, `${place}: routing is not client or server`)
  return { name, hash, integrity, fetchedAt, type: type as LockedType, routing }
}

function requireObject(value: unknown, file: string, place: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw wrong(file, `${place} is not an object`)
  return value as Record<string, unknown>
}

function conflicted(file: string, text: string, offset: number): PmlError {
  const line = text.slice(0, offset).split('\n').length
  const fix = 'resolve them, then run "pml lock verify"'
  return new PmlError(
    'invalid_lockfile',
    `Cannot read ${file}: it has conflict markers at line ${line}; ${fix}`,
  )
}

/** The error for a readable but inconsistent lockfile, which somebody edited. */
function changed(
  file: string,
  { place, hash, integrity }: { place: string; hash: string; integrity: Integrity },
): IntegrityError {
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot trust ${file}: ${place}: its integrity ${integrity} does not begin with its hash ${hash}; ${MEND}`,
    { integrity, hash },
  )
}

function unknownVersion(file: string, version: unknown): PmlError {
  const isNewer = typeof version === 'number' && version > VERSION
  const fix = isNewer ? 'use a newer pml' : MEND
  const shown = JSON.stringify(version)?.slice(0, 80) ?? 'none'
  return new PmlError(
    'invalid_lockfile',
    `Cannot read ${file}: expected version ${VERSION}, got ${shown}; ${fix}`,
  )
}

function wrong(file: string, problem: string): PmlError {
  return new PmlError('invalid_lockfile', `Cannot read ${file}: ${problem}; ${MEND}`)
}
