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
   * Reads the first `limitBytes` + 1 bytes of a file, or of stdin for `-`; one byte over the limit shows that it is too large.
   * Throws the system's own error.
   */
  read(path: string, limitBytes: number): Promise<Uint8Array>
}
