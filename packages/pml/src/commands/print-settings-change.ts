import { printable } from '@pml/tools/cli'
import type { SettingsChange } from '../agents/change-settings.ts'

/** Prints the whole diff: a table would wrap its lines. */
export function printSettingsChange({ file, result, diff, notes }: SettingsChange): string {
  const shown = result === 'unchanged' || result === 'declined' ? '' : `${printable(diff)}\n`
  return `${shown}${[`${printable(file)}: ${result}`, ...notes.map(printable)].join('\n')}\n`
}
