import { resolve } from 'node:path'
import { fillReferences, PmlError, referencesIn } from '@pml/core'
import type { LocalLaunch } from '@pml/core/local-servers'
import { findNamedSecret } from '@pml/core/secret-literals'
import { environmentFor, ownKeys, secretsIn, type Environment } from '../../machine/environment.ts'
import type { Target } from '../../mcp/mcp-session.ts'

interface TargetPlace {
  readonly name: string
  readonly root: string
  readonly env: Environment
}

/** How a local server is started or reached, with its variables filled in. It gets only those and the common ones. */
export function localTarget(launch: LocalLaunch, { name, root, env }: TargetPlace): Target {
  const values: Environment = {
    ...env,
    WORKSPACE: root,
    workspaceFolder: root,
    ...Object.fromEntries(ownKeys.map((key) => [key, undefined])),
  }
  requireAll(name, launch, values)
  const fill = (text: string) => fillIn(text, values, String)
  const secrets = secretsOf(launch, env)
  if (launch.kind === 'http') {
    const headers = Object.entries(launch.headers).map(([key, text]) => [key, fill(text)] as const)
    // Encoded, so that a value can add neither a parameter nor a path segment.
    const url = parseUrl(name, fillIn(launch.url, values, encodeURIComponent))
    return { kind: 'http', url, headers: Object.fromEntries(headers), secrets }
  }
  const { command, args, cwd = '.' } = launch
  const given = Object.entries(launch.env).map(([key, text]) => [key, fill(text)] as const)
  return {
    kind: 'stdio',
    command: fill(command),
    args: args.map(fill),
    cwd: resolve(root, fill(cwd)),
    env: { ...environmentFor(env, []), ...Object.fromEntries(given), [GATEWAY]: '1' },
    secrets,
  }
}

/** The values of its references, and literal secrets in its file. */
function secretsOf(launch: LocalLaunch, env: Environment): string[] {
  const names = wordsIn(launch).map((words) => form.exec(words)?.[1] ?? '')
  const values = launch.kind === 'http' ? launch.headers : launch.env
  const written = Object.entries(values).filter(([name, value]) => findNamedSecret(name, value) !== undefined)
  return [...secretsIn(env, names), ...written.map(([, value]) => value)]
}

/** Set for every server, so that a pml started by this one detects it. */
export const GATEWAY = 'PML_GATEWAY'

/** Everything between `${` and `}`. */
const reference = /\$\{([^{}]*)\}/g
/** `NAME`, `NAME:-default` and `env:NAME`, as editors write them. */
const form = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

function fillIn(text: string, values: Environment, print: (value: string) => string): string {
  return fillReferences(text, (words) => print(findValue(words, values) ?? ''), reference)
}

function findValue(words: string, values: Environment): string | undefined {
  const [, name = '', otherwise] = form.exec(words) ?? []
  return (Object.hasOwn(values, name) && values[name]) || otherwise
}

function requireAll(name: string, launch: LocalLaunch, values: Environment): void {
  const missing = new Set(wordsIn(launch).filter((words) => findValue(words, values) === undefined))
  if (missing.size === 0) return
  const names = [...missing].map((words) => form.exec(words)?.[1] ?? `\${${words}}`)
  throw new PmlError(
    'not_configured',
    `Cannot start ${name}: it needs ${names.join(', ')} in the environment; set it where pml runs`,
  )
}

/** The text between `${` and `}` of all its references. */
function wordsIn(launch: LocalLaunch): string[] {
  return textsIn(launch).flatMap((text) => referencesIn(text, reference))
}

function textsIn(launch: LocalLaunch): string[] {
  return launch.kind === 'http'
    ? [launch.url, ...Object.values(launch.headers)]
    : [launch.command, ...launch.args, launch.cwd ?? '', ...Object.values(launch.env)]
}

/** The address is not repeated in the error: it may contain a secret. */
function parseUrl(name: string, text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw new PmlError(
    'invalid_config',
    `Cannot reach ${name}: expected an address such as https://example.com/mcp`,
  )
}
