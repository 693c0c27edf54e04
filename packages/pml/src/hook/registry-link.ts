import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { PmlError, type ErrorCode } from '@pml/core/errors'
import { isJsonObject, type JsonObject } from '@pml/hooks'

/** The way to the registry, by what comes with Node: a library would take longer to load than the answer takes. */
export interface RegistryLink {
  /** Throws `unavailable` where there is no answer of a registry; what the registry refuses, in its own words. */
  post(path: string, body: JsonObject): Promise<JsonObject>
}

export interface LinkOptions {
  readonly url: URL
  readonly apiKey: string
  readonly timeoutMs: number
}

const LIMIT_BYTES = 1024 * 1024

export function registryLink({ url, apiKey, timeoutMs }: LinkOptions): RegistryLink {
  return {
    post: async (path, body) => {
      const bytes = Buffer.from(JSON.stringify(body))
      const headers = {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': bytes.length,
        accept: 'application/json',
        connection: 'close',
      }
      const { status, text } = await ask(new URL(path, url), { headers, bytes, timeoutMs })
      return answerOf(status, text)
    },
  }
}

interface Question {
  readonly headers: RequestOptions['headers']
  readonly bytes: Buffer
  readonly timeoutMs: number
}

interface Answer {
  readonly status: number
  readonly text: string
}

async function ask(url: URL, { headers, bytes, timeoutMs }: Question): Promise<Answer> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const { hostname, port, pathname } = url
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const where = { host, port, path: pathname, method: 'POST', headers, agent: false } as const
  return new Promise((done, fail) => {
    const giveUp = (why: string) => fail(unavailable(why))
    const sent: ClientRequest = request(where, (response) => {
      gather(response, { done: (text) => done({ status: response.statusCode ?? 0, text }), giveUp })
    })
    // The time is for all of it: an answer that comes drop by drop is none.
    const timer = setTimeout(
      () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    )
    sent.on('error', (error: NodeJS.ErrnoException) => giveUp(error.code ?? error.message))
    sent.on('close', () => clearTimeout(timer))
    sent.end(bytes)
  })
}

interface Gathering {
  done(text: string): void
  giveUp(why: string): void
}

function gather(response: IncomingMessage, { done, giveUp }: Gathering): void {
  const parts: Buffer[] = []
  let size = 0
  response.on('data', (part: Buffer) => {
    size += part.length
    if (size > LIMIT_BYTES) response.destroy(new Error('its answer has no end'))
    else parts.push(part)
  })
  response.on('error', (error: Error) => giveUp(error.message))
  response.on('close', () => giveUp('its answer broke off'))
  response.on('end', () => {
    if (response.complete) done(Buffer.concat(parts).toString('utf8'))
  })
}

function answerOf(status: number, text: string): JsonObject {
  const body = findObject(text)
  if (status >= 200 && status < 300 && body) return body
  const { error, message } = body ?? {}
  if (status >= 400 && status < 500 && typeof error === 'string' && typeof message === 'string')
    throw new PmlError(error as ErrorCode, message, { ...body })
  throw unavailable(`it answered ${status}${body ? '' : ' without JSON'}`)
}

function findObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function unavailable(why: string): PmlError {
  return new PmlError('unavailable', `Cannot ask the registry: ${why}`)
}
