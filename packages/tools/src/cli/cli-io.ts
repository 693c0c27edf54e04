/** Everything of the outside that a command line touches. */
export interface CliIo {
  /** Results, and nothing else. */
  print(text: string): void
  /** Messages, beside the results. */
  tell(text: string): void
  /** Columns to keep to; undefined where nobody looks, and nothing is wrapped or cut. */
  readonly width: number | undefined
  readonly hasColor: boolean
  /**
   * The first `limitBytes` + 1 bytes of a file, or of the standard input for `-`: one more than allowed tells that there
   * are too many. Throws the system's own error.
   */
  read(path: string, limitBytes: number): Promise<Uint8Array>
}
