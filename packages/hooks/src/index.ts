export { checkFileWrite, type FileWriteCheck } from './check-file-write.ts'
export {
  decide,
  decideWrites,
  findingsOf,
  fitsName,
  type Decision,
  type Guarded,
  type WantedApproval,
} from './decide.ts'
export { askerIn, askerOf, enforcementOf, type Asker, type EnforcementEvent } from './enforcement-event.ts'
export { agentNames, type AgentName } from './agents/find-agent.ts'
export { isJsonObject, type HookEvent, type JsonObject, type McpCall, type ToolCall } from './event.ts'
export type { Finding } from './finding.ts'
export { actionTemplates } from './operations/action-templates.ts'
export { detectOperation, getRequiredMcpServers } from './operations/detect-operation.ts'
export { validateSpawnWorker } from './operations/validate-spawn-worker.ts'
export type { Outcome, Reply } from './outcome.ts'
export { compileLate, compileNative } from './policy/expressions.ts'
export { makePolicy, type PolicyReading } from './policy/make-policy.ts'
export { parsePolicy } from './policy/parse-policy.ts'
export type { PolicyJson } from './policy/policy-json.ts'
export { isFixed } from './policy/is-fixed.ts'
export type { CompileExpression, Policy, Rule } from './policy/policy.ts'
export { runExamples, type ExampleResult } from './run-examples.ts'
export { printBlock } from './print-block.ts'
export type { FileContent, World } from './world.ts'
export { findCommand } from './writes/find-command.ts'
export type { Write } from './writes/write.ts'
export { writesOf } from './writes-of.ts'
