// npm run pin: the only file here that reads process.*.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseServerConfig, PmlError, type ServerConfigFile } from '@pml/core'
import { findNpm } from '../../packages/pml/src/npm/run-npm.ts'
import { killAllSync } from '../../packages/pml/src/machine/owned-process.ts'
import { parsePinArguments, usage } from './arguments.ts'
import { chooseServers } from './choose-servers.ts'
import { pinServers } from './pin-servers.ts'
import { showProgress } from './progress.ts'
import { printSummary } from './summary.ts'

const NPM_TIMEOUT_MS = 300_000
const START_TIMEOUT_MS = 60_000

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => stopping.abort(new Error(`stopped by ${signal}`)))

process.on('exit', killAllSync)

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof PmlError ? error.message : error instanceof Error ? error.stack : error}\n`,
  )
  return error instanceof PmlError ? error.exitCode : 1
})

async function main(): Promise<number> {
  const args = parsePinArguments(process.argv.slice(2), process.env.PML_CONFIG_DIR ?? 'config')
  if (args.help) return print(usage, 0)
  const { servers } = await readServers(join(args.configDir, 'mcp-servers.json'))
  const choices = chooseServers(servers, args.servers)
  const progress = showProgress(process.stderr)
  const world = {
    npm: {
      npm: await findNpm(process),
      timeoutMs: NPM_TIMEOUT_MS,
      signal: stopping.signal,
      kill: (pid: number, signal: NodeJS.Signals | 0) => process.kill(pid, signal),
    },
    nodePath: process.execPath,
    path: process.env.PATH ?? '',
    start: args.start,
    startTimeoutMs: START_TIMEOUT_MS,
    progress,
  }
  const results = await pinServers({ ...args, choices }, world)
  return print(printSummary(results), results.some(({ outcome }) => outcome === 'failed') ? 1 : 0)
}

async function readServers(file: string): Promise<ServerConfigFile> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new PmlError('invalid_config', `Cannot read ${file}: ${error.code ?? error.message}`)
  })
  const config = parseServerConfig(text, file)
  for (const sentence of config.ignored) process.stderr.write(`${sentence}\n`)
  return config
}

function print(text: string, exitCode: number): number {
  process.stdout.write(text)
  return exitCode
}
