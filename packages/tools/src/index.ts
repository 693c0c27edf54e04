export { type CommandPath, commandPathOf } from './command-path.ts'
export { type Issue, invalidArguments } from './check-values.ts'
export { type JsonObject, type JsonSchema } from './json-schema.ts'
export { loadTools } from './load-tools.ts'
export { type Command, type ListedTool, type Tool, type ToolAnnotations } from './ready-tool.ts'
export { type CommandWish, type Effect, type ToolDefinition, defineTool } from './tool.ts'
export {
  type ProblemKind,
  type ToolProblem,
  type ToolReport,
  ToolProblemError,
  printProblem,
} from './tool-problem.ts'
export { ToolRegistry } from './tool-registry.ts'
export {
  type Leaving,
  type Limit,
  type Toolbox,
  type ToolCall,
  type ToolHost,
  createToolbox,
  leavingWith,
  unknownTool,
} from './toolbox.ts'
