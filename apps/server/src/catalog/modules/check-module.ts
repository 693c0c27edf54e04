import { PmlError } from '@pml/core'
import type { ModuleFacts } from './module-facts.ts'
import type { ModuleParser } from './module-parser.ts'

/** Refuses imports other than `node:`, because integrity covers only the module's own bytes. */
export async function checkModule(parser: ModuleParser, bytes: Uint8Array): Promise<ModuleFacts> {
  const source = decode(bytes)
  const facts = await parser.parse(source)
  const [error] = facts.errors
  if (error) throw invalid(source, error.offset, error.message.replace(/\.$/, ''))
  const foreign = facts.imports.find(({ specifier }) => !specifier?.startsWith('node:'))
  if (foreign) {
    const what = foreign.specifier === null ? 'a computed import' : `'${foreign.specifier.slice(0, 100)}'`
    throw invalid(
      source,
      foreign.offset,
      `expected no imports but node: ones, got ${what}; bundle it into the module`,
    )
  }
  return facts
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PmlError('invalid_code', 'Cannot publish the module: expected UTF-8 text')
  }
}

function invalid(source: string, offset: number, problem: string): PmlError {
  const before = source.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - (before.lastIndexOf('\n') + 1) + 1
  return new PmlError(
    'invalid_code',
    `Cannot publish the module: line ${line}, column ${column}: ${problem}`,
    { line, column },
  )
}
