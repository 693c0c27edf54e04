import { parseStrictJson } from '@pml/core'
import type { CliIo } from './cli-io.ts'
import type { Parsed } from './parse-value.ts'
import { nameOf, readText } from './read-text.ts'

/**
 * One object of strict JSON: what was written itself where it begins like one, else what a file holds. Throws
 * `invalid_json` with the places of what is wrong, and `too_large`.
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
