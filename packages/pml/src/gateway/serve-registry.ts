import type { Readable, Writable } from 'node:stream'
import type { Leaving, Toolbox } from '@pml/tools'
import { serveOverStdio } from '@pml/tools/mcp'
import { callRemoteTool, listRemoteTools, type RemoteRegistry } from '../registry/remote-tools.ts'

interface ServeRegistry {
  readonly registry: RemoteRegistry
  readonly version: string
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
  tell(text: string): void
}

/** `pml serve --registry`: serves the registry's tools over stdin and stdout until the client disconnects. */
export async function serveRegistry({
  registry,
  version,
  input,
  output,
  signal,
  tell,
}: ServeRegistry): Promise<number> {
  const connection = serveOverStdio(remoteToolbox(registry), undefined, {
    info: { name: 'pml', version },
    input,
    output,
    onFault: (fault) => tell(fault instanceof Error ? fault.message : String(fault)),
  })
  if (signal.aborted) void connection.close()
  signal.addEventListener('abort', () => void connection.close(), { once: true })
  await connection.closed
  return 0
}

/** Forwards calls: the registry decides who may use what, and validates arguments. */
function remoteToolbox(registry: RemoteRegistry): Toolbox<undefined> {
  return {
    list: () => listRemoteTools(registry),
    call: async (_caller, { name, args, leaving }) => {
      const { signal, stay } = signalOf(leaving)
      try {
        return await callRemoteTool(registry, { name, args, signal })
      } finally {
        stay()
      }
    },
  }
}

function signalOf(leaving: Leaving): { signal: AbortSignal; stay: () => void } {
  const controller = new AbortController()
  const stay = leaving(() => controller.abort())
  return { signal: controller.signal, stay }
}
