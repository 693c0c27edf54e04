import { PmlError } from '@pml/core/errors'
import { isLoopback } from '@pml/core/loopback'
import type { ListedTool } from '@pml/tools'
import { parseAnswer } from './parse-answer.ts'
import { readAnswer } from './read-answer.ts'
import type { Settings } from './settings.ts'

export interface Asking {
  readonly signal: AbortSignal
  /** The person accepts that others on the way can read what is sent. */
  readonly isInsecureAllowed: boolean
}

export interface RemoteCall extends Asking {
  readonly name: string
  readonly args: unknown
}

/** Calls a tool of the registry and gives its output. Throws nothing but PmlErrors. */
export function callRemoteTool(
  settings: Settings,
  { name, args, ...asking }: RemoteCall,
): Promise<Record<string, unknown>> {
  const body = JSON.stringify(args)
  return ask(settings, { path: `tools/${encodeURIComponent(name)}`, body, ...asking })
}

/** The tools that the key may use. Throws nothing but PmlErrors. */
export async function listRemoteTools(settings: Settings, asking: Asking): Promise<readonly ListedTool[]> {
  const { tools } = await ask(settings, { path: 'tools', body: undefined, ...asking })
  if (Array.isArray(tools)) return tools as ListedTool[]
  throw new PmlError('unavailable', `Cannot use the answer of ${settings.registry.origin}: it lists no tools`)
}

interface Question extends Asking {
  readonly path: string
  /** Sent by POST; without one it is a GET. */
  readonly body: string | undefined
}

async function ask(
  { registry, apiKey, timeoutMs }: Settings,
  { path, body, signal: given, isInsecureAllowed }: Question,
): Promise<Record<string, unknown>> {
  requireSecrecy(registry, isInsecureAllowed)
  const tooLong = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([given, tooLong])
  const sent = body === undefined ? {} : { method: 'POST', body }
  try {
    // A redirect could lead the key to another origin, so none is followed.
    const response = await fetch(new URL(path, registry), {
      ...sent,
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      signal,
    })
    return parseAnswer(await readAnswer(response, registry), registry)
  } catch (error) {
    if (error instanceof PmlError) throw error
    if (given.aborted) throw new PmlError('cancelled', `Cannot finish: it was interrupted`)
    throw unreachable(registry, tooLong.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error))
  }
}

/** Keys and arguments cross a network in the open only where a person says so. */
function requireSecrecy({ protocol, hostname, origin }: URL, isInsecureAllowed: boolean): void {
  if (protocol === 'https:' || isInsecureAllowed || isLoopback(hostname)) return
  throw new PmlError(
    'invalid_config',
    `Cannot call ${origin}: expected https; set PML_REGISTRY_URL to an https address, or give --insecure-http`,
  )
}

function unreachable({ origin }: URL, reason: string): PmlError {
  const fix = 'start the registry, or set PML_REGISTRY_URL to its address'
  return new PmlError('unavailable', `Cannot reach the registry at ${origin}: ${reason}; ${fix}`)
}

/** The system's own code says most and repeats nothing that was sent. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } }
  if (cause?.code === 'ECONNREFUSED') return 'the connection was refused'
  return typeof cause?.code === 'string' ? cause.code : 'the connection broke'
}
