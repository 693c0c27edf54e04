import { printable } from '@pml/tools/cli'

/** Prints the result of a call; undefined for an output without one. */
export function printResult(output: Readonly<Record<string, unknown>>): string | undefined {
  if (!('result' in output)) return undefined
  const { result } = output
  return `${printable(typeof result === 'string' ? result : JSON.stringify(result, null, 2))}\n`
}
