import { PmlError } from '@pml/core/errors'

/** What the environment says about the registry. */
export interface Settings {
  /** Ends with a slash: whatever path it has stands before that of a tool. */
  readonly registry: URL
  readonly apiKey: string | undefined
  readonly timeoutMs: number
}

type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_URL = 'http://127.0.0.1:3000'
const DEFAULT_TIMEOUT_MS = 60_000
const LONGEST_TIMEOUT_MS = 3_600_000

/** Throws `invalid_config` with everything that is wrong. No value is repeated: each of them may be a secret. */
export function parseSettings(env: Environment): Settings {
  const problems: string[] = []
  const registry = findUrl(env.PML_REGISTRY_URL?.trim() || DEFAULT_URL)
  const apiKey = env.PML_API_KEY?.trim() || undefined
  const timeoutMs = Number(env.PML_TIMEOUT_MS?.trim() || DEFAULT_TIMEOUT_MS)
  if (!registry)
    problems.push(
      'PML_REGISTRY_URL: expected an address such as https://registry.example.com, without a password',
    )
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    problems.push('PML_API_KEY: expected one word of plain characters')
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > LONGEST_TIMEOUT_MS)
    problems.push(`PML_TIMEOUT_MS: expected a whole number from 1 to ${LONGEST_TIMEOUT_MS}`)
  if (registry && problems.length === 0) return { registry, apiKey, timeoutMs }
  throw new PmlError('invalid_config', `Cannot read the environment: ${problems.join('; ')}`, { problems })
}

function findUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, host, pathname } = new URL(text)
  if (!['http:', 'https:'].includes(protocol) || username !== '' || password !== '') return undefined
  return new URL(`${protocol}//${host}${pathname.replace(/\/*$/, '/')}`)
}
