import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { ToolUse } from '@pml/hooks/agents'

export type Json = Readonly<Record<string, unknown>>

/** The content of one request to the model. */
export interface Conversation {
  readonly tools: readonly string[]
  /** All texts of the user. */
  readonly prompt: string
  /** Results of tools, in the order of the calls. */
  readonly results: readonly string[]
}

interface Answer {
  /** Empty if the text is the answer. */
  readonly calls: readonly ToolUse[]
  readonly text: string
}

/** The API of a model provider. */
export interface Dialect {
  readonly name: string
  speaks(path: string): boolean
  read(body: Json): Conversation
  write(response: ServerResponse, answer: Answer, request: { body: Json; path: string }): void
}

export function list(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}

/** The text of a message or a result in any format. */
export function flatten(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content)
  return (content as Json[])
    .map((part) => {
      const text = part['text'] ?? part['encrypted_content']
      if (typeof text === 'string') return text
      return part['content'] === undefined ? JSON.stringify(part) : flatten(part['content'])
    })
    .join('\n')
}

export function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Starts an event stream. An event without a name has only data. */
export function startEvents(response: ServerResponse): (name: string, data: unknown) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  return (name, data) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${name === '' ? '' : `event: ${name}\n`}data: ${text}\n\n`)
  }
}
