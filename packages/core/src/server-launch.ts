import { listOf, recordOf, textOf, type Members, type Reading } from './json-reading.ts'
import type { JsonMember, JsonNode } from './json-source.ts'
import { fillReferences, referencesIn } from './references.ts'
import { findNamedSecret, findSecret, findSecretArguments, findUrlSecret } from './secret-literals.ts'

/** How to reach a server: a command line or an address, and their variables. */
export interface ServerLaunch {
  readonly command?: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly url?: string
  readonly headers: Readonly<Record<string, string>>
  /** The variables that the user must set, sorted. */
  readonly envRequired: readonly string[]
}

const envName = /^[A-Za-z_][A-Za-z0-9_]*$/
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const wholeReference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/

export function launchOf(reading: Reading, members: Members): ServerLaunch {
  const command = textOf(reading, members.get('command'), checkCommand(reading))
  const url = textOf(reading, members.get('url'), checkUrl(reading))
  const launch = {
    ...(command === undefined ? {} : { command }),
    args: argumentsOf(reading, members.get('args')),
    env: recordOf(reading, members.get('env'), checkVariable(reading)),
    ...(url === undefined ? {} : { url }),
    headers: headersOf(reading, members.get('headers')),
  }
  return { ...launch, envRequired: envRequiredOf(launch) }
}

function argumentsOf(reading: Reading, node: JsonNode | undefined): string[] {
  const args = listOf(reading, node)
  const nodes = (node?.children ?? []).filter((item) => item.type === 'string')
  for (const { index, kind } of findSecretArguments(args)) {
    const argument = nodes[index]
    if (argument) reportSecret(reading, { node: argument, kind })
  }
  return args
}

function headersOf(reading: Reading, node: JsonNode | undefined): Record<string, string> {
  const seen = new Set<string>()
  return recordOf(reading, node, ({ key, name, value }) => {
    const { source } = reading
    if (!headerName.test(key)) source.report(name, 'expected the name of an HTTP header; rename it')
    if (seen.has(key.toLowerCase()))
      source.report(name, 'expected each header once; names differ only in case')
    seen.add(key.toLowerCase())
    if (/[\r\n\0]/.test(String(value.value))) source.report(value, 'expected one line; remove the line break')
    reportSecret(reading, { node: value, kind: findNamedSecret(key, String(value.value)) })
  })
}

/** Empty variables, variables that only name another, and every reference in the command line or address. */
function envRequiredOf({ args, env, url, headers }: Omit<ServerLaunch, 'envRequired'>): string[] {
  const variables = Object.keys(env).filter((key) => env[key] === '' || wholeReference.test(env[key] ?? ''))
  const texts = [...args, url ?? '', ...Object.values(headers)]
  return [...new Set([...variables, ...texts.flatMap((text) => referencesIn(text))])].sort()
}

function checkCommand(reading: Reading) {
  return (node: JsonNode, text: string) => {
    if (text.trim() === '')
      reading.source.report(node, 'expected a program, got nothing; write for example "npx"')
    reportSecret(reading, { node, kind: findSecret(text) })
  }
}

function checkUrl(reading: Reading) {
  return (node: JsonNode, text: string) => {
    const problem = findUrlProblem(text)
    if (problem !== undefined) reading.source.report(node, problem)
    else reportSecret(reading, { node, kind: findUrlSecret(text) })
  }
}

function checkVariable(reading: Reading) {
  return ({ key, name, value }: JsonMember) => {
    const swapped = findSecret(key) !== undefined
    if (!envName.test(key) || swapped)
      reading.source.report(name, 'expected the name of an environment variable; rename it')
    const kind = findNamedSecret(key, String(value.value)) ?? findUrlSecret(String(value.value))
    reportSecret(reading, { node: value, kind, variable: swapped ? 'NAME' : key })
  }
}

interface Secret {
  readonly node: JsonNode
  readonly kind: string | undefined
  readonly variable?: string
}

function reportSecret({ source, isLocal }: Reading, { node, kind, variable = 'NAME' }: Secret): void {
  if (kind === undefined || isLocal) return
  const reference = `\${${envName.test(variable) ? variable : 'NAME'}}`
  source.report(
    node,
    `expected no secret, got ${kind}; write "${reference}" and set that variable where the server runs`,
  )
}

/** Returns why the address of a remote server cannot be used, or undefined. Never repeats the address. */
function findUrlProblem(text: string): string | undefined {
  // Replaces references by text that is valid at their position.
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
