import { PmlError } from '@pml/core/errors'
import type { ListedTool } from '@pml/tools'
import { parseAnswer } from './parse-answer.ts'
import type { Http, HttpAnswer } from './registry/http.ts'

/** A registry whose tools are called. */
export interface RemoteRegistry {
  readonly http: Http
  readonly url: URL
}

export interface RemoteCall {
  readonly name: string
  readonly args: unknown
  readonly signal: AbortSignal
}

const accept = { accept: 'application/json' }

/** Calls a tool of the registry and gives its output. Throws nothing but PmlErrors. */
export async function callRemoteTool(
  { http, url }: RemoteRegistry,
  { name, args, signal }: RemoteCall,
): Promise<Record<string, unknown>> {
  const answer = await http.send(`tools/${encodeURIComponent(name)}`, {
    method: 'POST',
    body: JSON.stringify(args),
    headers: { ...accept, 'content-type': 'application/json' },
    signal,
  })
  return outputIn(answer, url)
}

/** The tools that the key may use. Throws nothing but PmlErrors. */
export async function listRemoteTools({ http, url }: RemoteRegistry): Promise<readonly ListedTool[]> {
  const { tools } = outputIn(await http.send('tools', { headers: accept }), url)
  if (Array.isArray(tools)) return tools as ListedTool[]
  throw new PmlError('unavailable', `Cannot use the answer of ${url.origin}: it lists no tools`)
}

function outputIn({ status, headers, bytes }: HttpAnswer, registry: URL): Record<string, unknown> {
  const isOk = status >= 200 && status < 300
  const text = new TextDecoder().decode(bytes)
  return parseAnswer({ isOk, status, text, location: headers['location'] }, registry)
}
