import { PmlError } from '@pml/core/errors'
import type { ListedTool } from '@pml/tools'
import type { Http } from './http.ts'
import { readAnswer } from './parse-answer.ts'

/** A registry and the connection to it. */
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

/** Calls a tool of the registry and returns its output. Throws only PmlErrors. */
export async function callRemoteTool(
  { http, url }: RemoteRegistry,
  { name, args, signal }: RemoteCall,
): Promise<Record<string, unknown>> {
  return readAnswer(http, url, {
    path: `tools/${encodeURIComponent(name)}`,
    method: 'POST',
    body: JSON.stringify(args),
    headers: { ...accept, 'content-type': 'application/json' },
    signal,
  })
}

/** The tools that the key may use. Throws only PmlErrors. */
export async function listRemoteTools({ http, url }: RemoteRegistry): Promise<readonly ListedTool[]> {
  const { tools } = await readAnswer(http, url, { path: 'tools', headers: accept })
  if (Array.isArray(tools)) return tools as ListedTool[]
  throw new PmlError('unavailable', `Cannot use the answer of ${url.origin}: it does not list tools`)
}
