import { fillReferences } from './references.ts'

/** Why the address of a remote server cannot be used, or nothing. Never repeats the address. */
export function findUrlProblem(text: string): string | undefined {
  // A reference stands for some text that fits where it stands.
  const url = /[\s\p{Cc}\\]/u.test(text) ? undefined : findUrl(fillReferences(text, () => 'reference'))
  if (url === undefined) return 'expected an address like "https://example.com/mcp"'
  if (url.username !== '' || url.password !== '') {
    return 'expected an address without user and password; put them into headers as "${NAME}"'
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return undefined
  if (url.protocol === 'http:') return 'expected https, as the host is not this machine; write "https://…"'
  return 'expected an http or https address; write "https://…"'
}

function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function findUrl(text: string): URL | undefined {
  return /^[a-z]+:\/\/[^/]/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
}
