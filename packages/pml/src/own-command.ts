import { fileURLToPath } from 'node:url'

/** The file that `pml` on the command line runs, beside which this is installed. */
export function ownCommand(): string {
  return fileURLToPath(new URL('../bin/pml.js', import.meta.url))
}
