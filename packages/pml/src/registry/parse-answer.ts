import { errorTable, PmlError, type ErrorCode } from '@pml/core/errors'
import { showOnOneLine } from '@pml/core/show-invisible'
import type { Http, HttpRequest } from './http.ts'

interface Answer {
  readonly isOk: boolean
  readonly status: number
  readonly text: string
  /** Where it redirects to. */
  readonly location?: string | undefined
}

const redirects = new Set([301, 302, 303, 307, 308])

/** Longer than any message of a registry. */
const LONGEST_MESSAGE = 4000

type JsonObject = Record<string, unknown>

/** The output of a tool. Throws the registry's error, or `unavailable` for anything that a registry would not send. */
export function parseAnswer({ isOk, status, text, location }: Answer, registry: URL): JsonObject {
  if (redirects.has(status)) throw redirected(registry, location)
  const body = findObject(text)
  if (isOk && body) return body
  const refusal = isOk ? undefined : findRegistryError(text)
  if (refusal) throw refusal
  throw new PmlError(
    'unavailable',
    `Cannot use the answer of ${registry.origin}: expected the JSON of a registry, got something else ` +
      `with status ${status}; set PML_REGISTRY_URL to the address of a registry`,
  )
}

/** The registry's error in a response body, if it is one. */
export function findRegistryError(text: string): PmlError | undefined {
  const body = findObject(text)
  return typeof body?.error === 'string' && typeof body.message === 'string' ? errorOf(body) : undefined
}

/** Redirects are not followed: they could lead the key to another origin. */
function redirected(registry: URL, location = ''): PmlError {
  const target = URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return new PmlError(
    'unavailable',
    `Cannot use the answer of ${registry.origin}: it redirects${target}; set PML_REGISTRY_URL to the registry's own address`,
  )
}

/** An unknown error code becomes an internal error; its message still helps. */
function errorOf({ error, message, ...detail }: JsonObject): PmlError {
  const isKnown = Object.hasOwn(errorTable, String(error))
  return new PmlError(
    isKnown ? (error as ErrorCode) : 'internal_error',
    showOnOneLine(String(message), LONGEST_MESSAGE),
    detail,
  )
}

function findObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
    return isObject ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** The JSON response of the registry. Throws the registry's error. */
export async function readAnswer(
  http: Http,
  registry: URL,
  { path, ...request }: HttpRequest & { readonly path: string },
): Promise<Record<string, unknown>> {
  const { status, headers, bytes } = await http.send(path, request)
  const isOk = status >= 200 && status < 300
  const text = new TextDecoder().decode(bytes)
  return parseAnswer({ isOk, status, text, location: headers['location'] }, registry)
}
