/** The outside world of a command line. */
export interface CliIo {
  /** Writes results only. */
  print(text: string): void
  /** Writes messages. */
  tell(text: string): void
  /** The width of the terminal; undefined without one, then nothing is wrapped or cut. */
  readonly width: number | undefined
  readonly hasColor: boolean
  /**
   * The first `limitBytes` + 1 bytes of a file, or of the standard input for `-`: one more than allowed tells that there
   * are too many. Throws the system's own error.
   */
  read(path: string, limitBytes: number): Promise<Uint8Array>
}
