import { defineTool as define, type ToolDefinition } from '@pml/tools/run-tool'
import type { z } from 'zod'
import type { OwnContext } from './own-tools.ts'

/** A command that works on this machine. */
export function defineOwn<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<OwnContext, Input, Output>,
): ToolDefinition<OwnContext> {
  return define(definition)
}
