import { outputsOf, type Conduct } from './known-readers.ts'
import type { Call, Shell } from './shell.ts'

/** Records the input of a program that may write it. */
export function noteConduct(shell: Shell, conduct: Conduct, { name, args, stdin }: Call): void {
  if (conduct === 'reads') {
    const outputs = outputsOf(name, args)
    if (outputs.length > 0) shell.act(name, outputs)
    return
  }
  const input = stdin && 'text' in stdin ? [stdin.text] : []
  shell.act(name, [...args, ...input], conduct === 'keeps')
}
