/** Rules that protect the guard; no policy file can disable or replace them. */
export function isFixed(id: string): boolean {
  return id.startsWith('GUARD_')
}
