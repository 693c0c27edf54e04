import { suggest } from '@pml/core/suggest'
import type { Parameter } from '../parameters.ts'

/** A value, or the problem with its text. */
export type Parsed<Value = unknown> = { readonly value: Value } | { readonly wrong: string }

const LONGEST_SHOWN = 60
const integerPattern = /^-?\d+$/
const numberPattern = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Parses a text as the value of a parameter or list item. The tool checks ranges and lengths. */
export function parseValue({ type, choices }: Parameter, text: string): Parsed {
  const value = findValue(type, text)
  if (value === undefined) return { wrong: `expected ${nouns[type]}, got ${quote(text)}` }
  return choices === undefined || choices.includes(value) ? { value } : { wrong: noChoice(choices, text) }
}

const nouns = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
} satisfies Record<Parameter['type'], string>

/** Decimal numbers only: not empty, and nothing that would be rounded. */
function findValue(type: Parameter['type'], text: string): unknown {
  switch (type) {
    case 'string':
      return text
    case 'integer':
      return integerPattern.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined
    case 'number':
      return numberPattern.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : undefined
  }
}

function noChoice(choices: readonly unknown[], text: string): string {
  const known = choices.map(String)
  const near = suggest(text, known)
  const hint = near === undefined ? '' : `; did you mean ${quote(near)}?`
  return `expected one of ${known.map(quote).join(', ')}, got ${quote(text)}${hint}`
}

function quote(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.length} characters` : `"${text}"`
}
