import { parseStrictJson } from '@pml/core'
import type { CliIo } from './cli-io.ts'
import type { Parsed } from './parse-value.ts'
import { nameOf, readText } from './read-text.ts'

/**
 * Reads one object of strict JSON: from the argument itself if it starts like one, else from a file. Throws `invalid_json` with
 * the positions of all problems, and `too_large`.
 */
export async function readJsonInput(io: CliIo, written: string): Promise<Parsed<object>> {
  const isInline = /^\s*\{/.test(written)
  const text = isInline ? { value: written } : await readText(io, written)
  if ('wrong' in text) return text
  const value = parseStrictJson(text.value, isInline ? '--input' : nameOf(written))
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { wrong: 'expected a JSON object' }
  return { value }
}
