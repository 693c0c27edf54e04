import { PmlError, type ErrorCode } from '@pml/core/errors'
import { showOnOneLine } from '@pml/core/show-invisible'
import { isJsonObject, type JsonObject } from '@pml/hooks'
import { exchange } from './exchange.ts'

/** The way to the registry. */
export interface RegistryLink {
  /** Throws `unavailable` without a response of a registry, and the registry's own errors. */
  post(path: string, body: JsonObject): Promise<JsonObject>
}

interface LinkOptions {
  readonly url: URL
  readonly apiKey: string
  readonly timeoutMs: number
  /** The proxy to the registry; undefined asks it directly. */
  readonly proxy: URL | undefined
}

export function registryLink({ url, ...options }: LinkOptions): RegistryLink {
  return {
    post: async (path, body) => {
      const text = JSON.stringify(body)
      const answer = await exchange({ url: new URL(path, url), text, ...options }).catch(
        (error: NodeJS.ErrnoException) => {
          throw unavailable(error.code ?? error.message)
        },
      )
      return answerOf(answer.status, answer.text)
    },
  }
}

/** Longer than any message of a registry. */
const LONGEST_MESSAGE = 4000
/** The status of a full registry, whose message says what to do. */
const FULL = 507

function answerOf(status: number, text: string): JsonObject {
  const body = findObject(text)
  if (status >= 200 && status < 300 && body) return body
  const { error, message } = body ?? {}
  const isRefusal = (status >= 400 && status < 500) || status === FULL
  if (isRefusal && typeof error === 'string' && typeof message === 'string')
    throw new PmlError(error as ErrorCode, showOnOneLine(message, LONGEST_MESSAGE), { ...body })
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
