export type { ConfigProblem, LocalLaunch, LocalServer, ParsedServerFile } from './local-server.ts'
export { parseServerFile } from './parse-server-file.ts'
