export type { Agent, AgentProcess, HookedAgent, NeededVersion } from '../description/agent.ts'
export type { Alone, Headless, OwnHeadless, ScriptedCall, ToolUse } from '../description/headless.ts'
export {
  isOurHook,
  scopes,
  type HookLine,
  type HookSettings,
  type HttpHook,
  type Scope,
  type SettingsProgram,
  type SwitchFile,
  type SwitchLevels,
  type WantedHooks,
} from '../description/hook-settings.ts'
export {
  objectOf,
  type GatewaySettings,
  type ServerFile,
  type ServerPlaces,
} from '../description/mcp-settings.ts'
export { upwards, type AskedTrust, type FolderTrust } from '../description/trust.ts'
export type { Adapter } from '../events/adapter.ts'
export { agentNames, agentOf, agents, findAdapter, hookedAgents, type AnyAgentName } from './find-agent.ts'
