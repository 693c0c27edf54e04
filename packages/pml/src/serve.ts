import type { Readable, Writable } from 'node:stream'
import type { Leaving, Toolbox } from '@pml/tools'
import { serveOverStdio } from '@pml/tools/mcp'
import { callRemoteTool, listRemoteTools } from './remote-tools.ts'
import type { Settings } from './settings.ts'

export interface Serve {
  /** The person accepts that others on the way can read what is sent. */
  readonly isInsecureAllowed: boolean
  readonly settings: Settings
  readonly version: string
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
  tell(text: string): void
}

/** `pml serve`: the registry's tools for the agent at the other end of stdin and stdout, until it leaves. */
export async function serve({
  isInsecureAllowed,
  settings,
  version,
  input,
  output,
  signal,
  tell,
}: Serve): Promise<number> {
  const toolbox = remoteToolbox(settings, isInsecureAllowed)
  const connection = serveOverStdio(toolbox, undefined, {
    info: { name: 'pml', version },
    input,
    output,
    onFault: (fault) => tell(`${fault instanceof Error ? fault.message : String(fault)}\n`),
  })
  signal.addEventListener('abort', () => void connection.close(), { once: true })
  await connection.closed
  return 0
}

/** The tools where they are: the registry decides who may use what, and checks what is sent. */
function remoteToolbox(settings: Settings, isInsecureAllowed: boolean): Toolbox<undefined> {
  const never = new AbortController().signal
  return {
    list: () => listRemoteTools(settings, { signal: never, isInsecureAllowed }),
    call: async (_caller, { name, args, leaving }) => {
      const { signal, stay } = signalOf(leaving)
      try {
        return await callRemoteTool(settings, { name, args, signal, isInsecureAllowed })
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
