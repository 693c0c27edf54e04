import { parse, type ParseError } from 'jsonc-parser'
import { PmlError } from '@pml/core/errors'
import { isJsonObject, type JsonObject } from '@pml/hooks'
import { findSettingsText } from './find-settings-text.ts'

/** Reads a JSON file of an agent; undefined if it is missing or empty. Throws if it cannot be parsed. */
export function readAgentFile(file: string): JsonObject | undefined {
  const text = findSettingsText(file)
  if (text === undefined || text.trim() === '') return undefined
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length === 0 && isJsonObject(value)) return value
  throw new PmlError('invalid_config', `Cannot read ${file}: expected a JSON object; fix it, or remove it`)
}
