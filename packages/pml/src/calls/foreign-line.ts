import { showInvisible } from '@pml/core/show-invisible'

const colors = /\p{Cc}\[[\d;]*m/gu

/** What a program that nobody trusts wrote to stderr, for this terminal: it can neither move the cursor nor hide anything. */
export function foreignLine(line: string): string {
  return showInvisible(line.replaceAll(colors, '').trimEnd())
}
