import type { LineName } from './lines.ts'
import type { Load } from './load/start-load.ts'
import type { Stops } from './stops.ts'

/** What every measurement is given. */
export interface Bench {
  readonly wanted: ReadonlySet<LineName>
  readonly load: Load
  readonly stops: Stops
  /** A figure for stdout; one that nobody asked for is dropped. */
  report(name: LineName, figure: number): void
  /** Progress and absolute numbers, for stderr. */
  tell(text: string): void
}
