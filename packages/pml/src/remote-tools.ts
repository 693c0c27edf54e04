import { PmlError } from '@pml/core/errors'
import { parseAnswer } from './parse-answer.ts'
import { readAnswer } from './read-answer.ts'
import type { Settings } from './settings.ts'

export interface RemoteCall {
  readonly name: string
  readonly args: unknown
  readonly signal: AbortSignal
  /** The person accepts that others on the way can read what is sent. */
  readonly isInsecureAllowed: boolean
}

/** Calls a tool of the registry and gives its output. Throws nothing but PmlErrors. */
export async function callRemoteTool(settings: Settings, call: RemoteCall): Promise<Record<string, unknown>> {
  const { registry, apiKey, timeoutMs } = settings
  requireSecrecy(registry, call)
  const tooLong = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([call.signal, tooLong])
  try {
    // A redirect could lead the key to another origin, so none is followed.
    const response = await fetch(new URL(`tools/${encodeURIComponent(call.name)}`, registry), {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(call.args),
      signal,
    })
    return parseAnswer(await readAnswer(response, registry), registry)
  } catch (error) {
    if (error instanceof PmlError) throw error
    if (call.signal.aborted) throw new PmlError('cancelled', `Cannot finish ${call.name}: it was interrupted`)
    throw unreachable(registry, tooLong.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error))
  }
}

/** Keys and arguments cross a network in the open only where a person says so. */
function requireSecrecy({ protocol, hostname, origin }: URL, { isInsecureAllowed }: RemoteCall): void {
  if (protocol === 'https:' || isInsecureAllowed || isLoopback(hostname)) return
  throw new PmlError(
    'invalid_config',
    `Cannot call ${origin}: expected https; set PML_REGISTRY_URL to an https address, or give --insecure-http`,
  )
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
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
