import { PmlError } from '@pml/core'
import { createSideProcess } from '../../side-process.ts'
import type { ModuleFacts } from './module-facts.ts'

export interface ModuleParser {
  /** Throws `invalid_code` for a module that times out or crashes the parser. */
  parse(source: string): Promise<ModuleFacts>
  close(): void
}

const TIMEOUT_MS = 5000

export function createModuleParser(): ModuleParser {
  const { ask, close } = createSideProcess<string, ModuleFacts>({
    name: 'module parser',
    program: new URL('./parser-process', import.meta.url),
    timeoutMs: TIMEOUT_MS,
    tooHard,
  })
  return { parse: ask, close }
}

function tooHard(): PmlError {
  const problem = 'it is nested too deeply or takes too long to parse; make it simpler'
  return new PmlError('invalid_code', `Cannot parse the module: ${problem}`)
}
