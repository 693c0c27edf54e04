import { parseStrictJson } from '@pml/core'
import type { CliIo } from './cli-io.ts'
import type { Parsed } from './parse-value.ts'
import { nameOf, readText } from './read-text.ts'

/** One object of strict JSON. Throws `invalid_json` with the places of what is wrong, and `too_large`. */
export async function readJsonInput(io: CliIo, path: string): Promise<Parsed<object>> {
  const text = await readText(io, path)
  if ('wrong' in text) return text
  const value = parseStrictJson(text.value, nameOf(path))
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { wrong: 'expected a JSON object of arguments' }
  return { value }
}
