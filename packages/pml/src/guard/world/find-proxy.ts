import { PmlError } from '@pml/core/errors'
import { isLoopback } from '@pml/core/loopback'

type Environment = Readonly<Record<string, string | undefined>>

/** Finds the proxy to an https address by the rules of pml's own HTTP client. Throws `invalid_config`. */
export function findProxy(url: URL, env: Environment): URL | undefined {
  const text = findText(env, 'https_proxy') ?? findText(env, 'http_proxy')
  if (text === undefined || url.protocol !== 'https:' || isLoopback(url.hostname)) return undefined
  const proxy = /^https?:\/\//.test(text) ? tryUrl(text) : undefined
  if (!proxy) throw new PmlError('invalid_config', 'Cannot read HTTPS_PROXY: expected an http address')
  return isExcluded(url, findText(env, 'no_proxy') ?? '') ? undefined : proxy
}

function findText(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || env[name.toUpperCase()]?.trim() || undefined
}

function tryUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** `*` matches everything; `example.com`, `.example.com` and `*.example.com` match that host and its subdomains, on a port if given. */
function isExcluded({ hostname, port }: URL, list: string): boolean {
  if (list === '*') return true
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      const [, host = '', onlyPort] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? []
      const isHost = host !== '' && (hostname === host || hostname.endsWith(`.${host}`))
      return isHost && (onlyPort === undefined || onlyPort === (port || '443'))
    })
}
