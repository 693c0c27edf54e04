import type { ServerParts } from './server-parts.ts'
import { openSessionUntil, type McpSession } from '../mcp/mcp-session.ts'
import { killAllSync } from '../machine/owned-process.ts'
import type { FoundServer } from './discover/found-server.ts'
import { localTarget } from './discover/local-target.ts'

interface LocalStart {
  readonly parts: Pick<ServerParts, 'ops' | 'files' | 'version' | 'lifetime'>
  readonly signal: AbortSignal
  onStderr(line: string): void
}

const START_TIMEOUT_MS = 30_000

/** Starts or reaches the server of a file. */
export function startLocalServer(
  found: FoundServer,
  { parts: { ops, files, version, lifetime }, signal, onStderr }: LocalStart,
): Promise<McpSession> {
  ops.atExit(killAllSync)
  const target = localTarget(found.launch, { name: found.name, root: files.root, env: ops.env })
  return openSessionUntil([lifetime, signal], {
    target,
    server: found.name,
    client: { name: 'pml', version },
    connectTimeoutMs: found.startTimeoutMs ?? START_TIMEOUT_MS,
    kill: ops.kill,
    onStderr,
  })
}
