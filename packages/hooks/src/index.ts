export {
  agentNames,
  type AgentName,
  type Edit,
  type HookEvent,
  type JsonObject,
  type ToolCall,
} from './event.ts'
export type { EnforcementEvent } from './enforcement-event.ts'
export type { Outcome, Reply } from './outcome.ts'
export type { FileContent, World } from './world.ts'
