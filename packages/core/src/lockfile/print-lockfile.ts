import { lockedFqdn, type LockedEntry, type Lockfile } from './lockfile.ts'

/**
 * Prints entries sorted by FQDN in code-unit order, with two spaces and a final newline: equal content is always equal text.
 */
export function printLockfile({ entries }: Lockfile): string {
  const printed = Array.from(entries.values(), (entry) => ({ fqdn: lockedFqdn(entry), entry }))
    .sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1))
    .map(({ fqdn, entry }) => printEntry(fqdn, entry))
  const block = printed.length === 0 ? '{}' : `{\n${printed.join(',\n')}\n  }`
  return `{\n  "version": 1,\n  "entries": ${block}\n}\n`
}

/** No value can contain a character that JSON would escape. */
function printEntry(fqdn: string, { integrity, fetchedAt, type, routing }: LockedEntry): string {
  return `    "${fqdn}": {
      "integrity": "${integrity}",
      "fetchedAt": "${fetchedAt}",
      "type": "${type}",
      "routing": "${routing}"
    }`
}
