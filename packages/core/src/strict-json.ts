import { PmlError } from './errors.ts'
import { DEEPEST, JsonSource } from './json-source.ts'

/**
 * JSON that can mean only one thing: each key once, whole characters, no NUL, numbers that fit, bounded depth. Throws
 * `invalid_json`; `what` is the name of the text in its message.
 */
export function parseStrictJson(text: string, what: string): unknown {
  return findCompact(text) ?? strictly(text, what)
}

/**
 * What a program prints, it prints without spaces: if printing the value gives the text again, no key was in it twice
 * and no number was too large. That costs a tenth of a strict reading, which looks for half characters as well.
 */
function findCompact(text: string): unknown {
  if (text.includes('\\u') || mayBeDeep(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

/** Fewer brackets than the levels allowed cannot be too deep, wherever they stand. */
function mayBeDeep(text: string): boolean {
  let found = 0
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++found > DEEPEST) return true
  }
  return false
}

function strictly(text: string, what: string): unknown {
  try {
    const source = new JsonSource(text, what)
    source.requireSound()
    return JSON.parse(source.text)
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    throw new PmlError('invalid_json', error.message.slice(0, 1000))
  }
}
