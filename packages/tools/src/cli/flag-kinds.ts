import { formsOf, parametersOf } from '../parameters.ts'
import type { Command } from '../ready-tool.ts'
import { globalKindsOf } from './global-flags.ts'
import { kindOf } from './place-flags.ts'
import type { Program } from './program.ts'
import type { FlagKind } from './split-arguments.ts'

/** Every flag of a command and the global flags. Parameters never look like global flags. */
export function flagKindsOf(
  { inputSchema }: Pick<Command, 'inputSchema'>,
  program: Pick<Program, 'flags'>,
): Map<string, FlagKind> {
  const kinds = globalKindsOf(program)
  for (const parameter of parametersOf(inputSchema))
    for (const [flag, form] of formsOf(parameter)) kinds.set(flag, kindOf(form))
  return kinds
}
