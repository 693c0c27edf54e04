/** Bundles the command and the library from the sources of `pml`, and returns the files that came in. */
export function bundleCommand(options: {
  readonly source: string
  /** It must not exist. */
  readonly folder: string
}): Promise<string[]>

/** Where the commands are in a folder: `lock/show` for `lock/show.ts`. */
export function placesIn(commandsFolder: string): Promise<string[]>
