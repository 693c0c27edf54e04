import { isAbsolute } from 'node:path'
import { PmlError } from '@pml/core/errors'

/** The settings in the environment. */
export interface Settings {
  /** Ends with a slash. Undefined if `.pml.json` decides. */
  readonly registry: URL | undefined
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly approvalMs: number
  readonly cacheBytes: number
  readonly proxies: ProxySettings
  /** PML_TRUST_WORKSPACE: workspaces are trusted without a prompt, as in CI. */
  readonly isWorkspaceTrusted: boolean
}

export interface ProxySettings {
  readonly httpProxy: string | undefined
  readonly httpsProxy: string | undefined
  readonly noProxy: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

export const DEFAULT_REGISTRY = 'http://127.0.0.1:3000/'
const MEBIBYTE = 1024 * 1024
const numbers = {
  PML_TIMEOUT_MS: { otherwise: 60_000, most: 3_600_000 },
  PML_APPROVAL_SECONDS: { otherwise: 300, most: 86_400 },
  PML_CACHE_MB: { otherwise: 2048, most: 10_000_000 },
} as const

/** Throws `invalid_config` with all problems. Values are not repeated, since they may be secrets. */
export function parseSettings(env: Environment): Settings {
  const problems: string[] = []
  const written = textOf(env, 'PML_REGISTRY_URL')
  const registry = written === undefined ? undefined : findRegistry(written)
  const apiKey = textOf(env, 'PML_API_KEY')
  if (written !== undefined && !registry)
    problems.push(
      'PML_REGISTRY_URL: expected an address such as https://registry.example.com, without a password',
    )
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    problems.push('PML_API_KEY: expected one word of printable ASCII')
  const cacheDir = textOf(env, 'PML_CACHE_DIR')
  if (cacheDir !== undefined && !isAbsolute(cacheDir))
    problems.push('PML_CACHE_DIR: expected the absolute path of a folder')
  const trust = textOf(env, 'PML_TRUST_WORKSPACE') ?? '0'
  if (trust !== '0' && trust !== '1') problems.push('PML_TRUST_WORKSPACE: expected 1 or 0')
  const number = (name: keyof typeof numbers) => {
    const { otherwise, most } = numbers[name]
    const text = textOf(env, name) ?? String(otherwise)
    const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
    if (value < 1 || value > most) problems.push(`${name}: expected a whole number from 1 to ${most}`)
    return value
  }
  const settings = {
    registry,
    apiKey,
    timeoutMs: number('PML_TIMEOUT_MS'),
    approvalMs: number('PML_APPROVAL_SECONDS') * 1000,
    cacheBytes: number('PML_CACHE_MB') * MEBIBYTE,
    isWorkspaceTrusted: trust === '1',
    proxies: {
      httpProxy: textOf(env, 'http_proxy') ?? textOf(env, 'HTTP_PROXY'),
      httpsProxy: textOf(env, 'https_proxy') ?? textOf(env, 'HTTPS_PROXY'),
      noProxy: textOf(env, 'no_proxy') ?? textOf(env, 'NO_PROXY'),
    },
  }
  for (const name of ['httpProxy', 'httpsProxy'] as const) {
    const proxy = settings.proxies[name]
    if (proxy !== undefined && !/^https?:\/\//.test(proxy))
      problems.push(`${name === 'httpProxy' ? 'HTTP_PROXY' : 'HTTPS_PROXY'}: expected an http address`)
  }
  if (problems.length === 0) return settings
  throw new PmlError('invalid_config', `Cannot read the environment: ${problems.join('; ')}`, { problems })
}

/** An http or https address without a password, with a slash at its end. */
export function findRegistry(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, host, pathname } = new URL(text)
  if (!['http:', 'https:'].includes(protocol) || username !== '' || password !== '') return undefined
  return new URL(`${protocol}//${host}${pathname.replace(/\/*$/, '/')}`)
}

function textOf(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined
}
