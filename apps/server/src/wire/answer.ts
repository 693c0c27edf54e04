import type { IncomingMessage, ServerResponse } from 'node:http'
import { ifNoneMatch } from '@pml/core'

/** Bytes, one to a character (latin1): the form in which Node keeps and sends small bodies at the least cost. */
export type ByteString = string

/** What is sent, by a route or by the read lane. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ByteString | null
}

/** An answer that a caller who already has it need not be sent again. */
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

/** Anyone may read public entries from any page, and see what the registry says about them. */
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

/** What the bytes say in UTF-8. Where no character is beyond ASCII they are the text. */
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
