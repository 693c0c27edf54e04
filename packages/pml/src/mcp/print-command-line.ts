/** Prints a command line as a person would type it. */
export function printCommandLine({ command, args }: { command: string; args: readonly string[] }): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ')
}
