export { type JsonObject } from './json-schema.ts'
export { loadTools } from './load-tools.ts'
export { type ListedTool } from './ready-tool.ts'
export { type ToolDefinition, defineTool } from './tool.ts'
export { ToolRegistry } from './tool-registry.ts'
export {
  type Leaving,
  type Limit,
  type AdmittingToolbox,
  type Toolbox,
  createToolbox,
  leavingWith,
  unknownTool,
} from './toolbox.ts'
