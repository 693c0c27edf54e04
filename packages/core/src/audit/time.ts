/** Writers of the same moment commit in any order, and clocks are set right now and then. */
const USUAL_MS = 5 * 60_000

/** Whether `next` is further before `last` than can be explained. */
export function isBackInTime(last: string, next: string): boolean {
  return next < last && instantOf(last) - instantOf(next) > USUAL_MS
}

function instantOf(iso: string): number {
  // oxlint-disable-next-line no-restricted-globals -- reads a text, and no clock
  return Date.parse(iso)
}
