import { showInvisible } from '@pml/core/show-invisible'

const colors = /\p{Cc}\[[\d;]*m/gu

/** A line of an untrusted program's stderr, made safe for the terminal: it cannot move the cursor or hide text. */
export function foreignLine(line: string): string {
  return showInvisible(line.replaceAll(colors, '').trimEnd())
}
