import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { PmlError } from '@pml/core'
import type { Client } from '../calls/open-client.ts'
import { GATEWAY_TOKEN } from '../machine/environment.ts'
import { announceGateway } from './gateway-files.ts'
import { createQuestions } from './gateway-server.ts'
import { openGateway } from './open-gateway.ts'
import { serveOnHttp } from './serve-http.ts'
import { serveOnStdio } from './serve-stdio.ts'
import { watchParent } from '../machine/watch-parent.ts'
import { stateHomeOf } from '../machine/ops.ts'
import { GATEWAY } from '../servers/discover/local-target.ts'
import { serverSwitchesFileOf } from '../servers/discover/server-switches.ts'
import { LOOK_EVERY_MS, watchFiles } from '../servers/discover/watch-files.ts'
import { explainUntrusted } from '../workspace/workspace-config-file.ts'

interface Serve {
  readonly client: Client
  readonly version: string
  readonly input: Readable
  readonly output: Writable
  readonly pid: number
  readonly signal: AbortSignal
  /** Undefined: serves over stdin and stdout. */
  readonly port: number | undefined
}

const CLOSE_MS = 5000

/** `pml serve`: one MCP server for all tools that this workspace permits, until its client disconnects. */
export async function serve({ client, version, input, output, pid, signal, port }: Serve): Promise<number> {
  const { ops, files, settings } = client
  const { tell } = ops
  if (ops.env[GATEWAY]) throw new PmlError('invalid_config', 'Cannot serve: pml was started by pml serve')
  watchParent(ops)
  const trust = await client.config.readTrust()
  if (!trust.isGivenByOperator && trust.unagreed.length > 0)
    tell(`Tools are listed but cannot run: ${explainUntrusted(trust)}`)
  const servers = await client.servers()
  const gateway = openGateway(client, servers)
  const reload = async () => {
    const count = await servers.reload()
    await servers.recheck()
    return count
  }
  const stops = await Promise.all([
    watchFiles([...servers.places, serverSwitchesFileOf(ops)], {
      lookEveryMs: LOOK_EVERY_MS,
      onChange: () => void reload().catch(complain),
    }),
    watchFiles([files.config, files.lock], {
      lookEveryMs: LOOK_EVERY_MS,
      onChange: () => void servers.recheck().catch(complain),
    }),
    announceGateway(
      join(stateHomeOf(ops.env, ops.platform), 'gateways'),
      { pid, workspace: files.root, startedAt: ops.now().toISOString() },
      reload,
    ),
  ])
  const options = {
    info: { name: 'pml', version },
    questions: createQuestions(settings.approvalMs / 1000),
    tell,
    onFault: complain,
    signal,
    graceMs: CLOSE_MS,
  }
  const onEnd = () =>
    tell(`Shutting down: calls still running get ${CLOSE_MS / 1000} s, new ones are refused`)
  signal.addEventListener('abort', onEnd, { once: true })
  try {
    void servers.init().catch(complain)
    if (port === undefined) await serveOnStdio(gateway, { ...options, input, output })
    else {
      const token = ops.env[GATEWAY_TOKEN] || randomBytes(24).toString('base64url')
      const onListening = (url: string) => void output.write(`${JSON.stringify({ url, token })}\n`)
      await serveOnHttp(gateway, { ...options, port, token, onListening })
    }
  } finally {
    for (const stop of stops) await stop()
    await servers.close(CLOSE_MS).catch(complain)
  }
  return 0

  function complain(error: unknown): void {
    tell(error instanceof Error ? error.message : String(error))
  }
}
