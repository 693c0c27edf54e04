/** Types only, without code. */
export type { Integrity } from './integrity.ts'
export type { LockedType } from './lockfile/lockfile.ts'
export type { Fqdn, Name } from './names.ts'
export type { Routing } from './routing.ts'
