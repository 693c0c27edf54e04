import type { JsonValue } from './canonical-json.ts'

/** A tool as its server listed it. */
export interface ToolDefinition {
  name: string
  description?: string | undefined
  inputSchema: { type: 'object'; [member: string]: JsonValue }
  [member: string]: JsonValue | undefined
}
