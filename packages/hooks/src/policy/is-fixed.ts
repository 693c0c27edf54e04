/** What guards the guard: no file switches it off or puts another rule in its place. */
export function isFixed(id: string): boolean {
  return id.startsWith('GUARD_')
}
