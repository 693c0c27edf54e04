import type { IncomingMessage, ServerResponse } from 'node:http'
import { ifNoneMatch } from '@pml/core'

/** A string with one character for each byte (latin1). Node stores and sends small bodies fastest in this form. */
export type ByteString = string

/** A complete HTTP response, sent by a route or by the read lane. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ByteString | null
}

/** A response with an ETag, in its 200 and its 304 form. */
export interface Conditional {
  readonly etag: string
  readonly found: Answer
  readonly notModified: Answer
}

export function chooseAnswer(
  { etag, found, notModified }: Conditional,
  condition: string | undefined,
): Answer {
  return ifNoneMatch(condition, etag) ? notModified : found
}

/** Lets web pages of any origin read public entries and their headers. */
export const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Link, Location, Repr-Digest, Retry-After, X-PML-FQDN, X-PML-Routing, X-PML-Type',
} as const

export function writeAnswer(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
): void {
  response.writeHead(status, headers)
  if (body === null || method === 'HEAD') response.end()
  else response.end(body, 'latin1')
}

/** Decodes bytes as UTF-8. ASCII needs no decoding. */
export function textOf(bytes: ByteString): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString()
}

export function bytesOf(text: string): ByteString {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

export function byteString(bytes: Uint8Array): ByteString {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
