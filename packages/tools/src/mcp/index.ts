export { type PostedMessage } from './answer-directly.ts'
export { type McpEndpoint, createMcpEndpoint } from './endpoint.ts'
export { type McpOptions } from './options.ts'
export { type StdioConnection, type StdioOptions, serveOverStdio } from './stdio.ts'
