import type { LineName } from './lines.ts'
import type { Load } from './load/start-load.ts'
import type { Stops } from './stops.ts'

/** The context of every measurement. */
export interface Bench {
  readonly wanted: ReadonlySet<LineName>
  readonly load: Load
  readonly stops: Stops
  /** Reports a figure on stdout; unselected figures are dropped. */
  report(name: LineName, figure: number): void
  /** Reports progress and absolute numbers on stderr. */
  tell(text: string): void
}
