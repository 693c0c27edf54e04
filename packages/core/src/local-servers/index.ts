export type { ConfigProblem, LocalLaunch, LocalServer, ParsedServerFile } from './local-server.ts'
