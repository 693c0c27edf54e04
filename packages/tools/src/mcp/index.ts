export { type McpEndpoint, createMcpEndpoint } from './endpoint.ts'
export { type Era, type McpOptions } from './options.ts'
export { serveOverStdio, serveServersOverStdio } from './stdio.ts'
export { errorResult } from './tool-results.ts'
