import { JsonSource, PmlError } from '@pml/core'
import type { CliIo } from './cli-io.ts'
import type { Parsed } from './parse-value.ts'
import { nameOf, readText } from './read-text.ts'

/** One object of strict JSON. Throws `invalid_json` with the places of what is wrong, and `too_large`. */
export async function readJsonInput(io: CliIo, path: string): Promise<Parsed<object>> {
  const text = await readText(io, path)
  if ('wrong' in text) return text
  const value = parseJson(text.value, nameOf(path))
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { wrong: 'expected a JSON object of arguments' }
  return { value }
}

function parseJson(text: string, file: string): unknown {
  try {
    const source = new JsonSource(text, file)
    source.requireSound()
    return JSON.parse(source.text)
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    throw new PmlError('invalid_json', error.message, error.detail)
  }
}
