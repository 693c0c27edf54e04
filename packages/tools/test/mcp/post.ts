import { request as httpRequest } from 'node:http'

export interface Posted {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The message of a JSON body, or of the only event of a stream. */
  readonly message: {
    readonly result?: Record<string, unknown>
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
    readonly id?: unknown
  }
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
}

const both = 'application/json, text/event-stream'

/** A request of 2026-07-28 with its headers. */
export function modern(method: string, params: Record<string, unknown> = {}) {
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  return {
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
  }
}

/** A request of 2025-11-25. */
export function legacy(method: string, params: Record<string, unknown> = {}) {
  return {
    headers: { 'mcp-protocol-version': '2025-11-25' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  }
}

export const eras = { modern, legacy }

export interface Outgoing {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Strings are sent unchanged. */
  readonly body: unknown
  readonly signal?: AbortSignal
}

export async function post(url: string, { headers, body, signal }: Outgoing): Promise<Posted> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, {
    method: 'POST',
    headers: headersOf(headers),
    // As bytes, so that fetch adds no content type.
    body: new TextEncoder().encode(text),
    signal: signal ?? null,
  })
  return posted(response.status, response.headers, await response.text())
}

/** The headers of every client and more; undefined removes one. */
export function headersOf(more: Outgoing['headers']): Record<string, string> {
  const all = { 'content-type': 'application/json', accept: both, ...more }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** An endless body with or without a declared length: any response came before all of it was sent. */
export function postWithoutEnd(
  url: string,
  { sentBytes, declaredBytes }: { sentBytes: number; declaredBytes?: number },
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const length = declaredBytes === undefined ? {} : { 'content-length': declaredBytes }
    const request = httpRequest(url, { method: 'POST', headers: { ...headersOf({}), ...length } })
    request.on('error', reject)
    request.on('response', async (response) => {
      const chunks = await response.toArray()
      request.destroy()
      resolve(posted(response.statusCode ?? 0, new Headers(), Buffer.concat(chunks).toString()))
    })
    request.write(Buffer.alloc(sentBytes, ' '))
  })
}

function posted(status: number, headers: Headers, text: string): Posted {
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text
  return { status, headers, text, message: json === '' ? {} : (JSON.parse(json) as Posted['message']) }
}
