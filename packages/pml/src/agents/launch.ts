import type { JsonObject } from '@pml/hooks'
import { objectOf } from '@pml/hooks/agents'

/** How an agent starts or reaches an MCP server. */
export type Launch =
  | {
      readonly kind: 'command'
      readonly words: readonly string[]
      readonly sets: readonly string[]
      /** Those of `sets` that pass on the agent's own value. */
      readonly passes: readonly string[]
    }
  | { readonly kind: 'url'; readonly url: string; readonly sets: readonly string[] }
  /** It may be started in a way that is not visible here. */
  | { readonly kind: 'unclear'; readonly why: string }

const addresses = ['url', 'httpUrl', 'serverUrl', 'tcp']
/** Other members that decide what runs. */
const decisive = ['cwd', 'envFile', 'headersHelper']

/** How a configured server is started. An ambiguous entry is `unclear`: which way an agent takes must not be guessed. */
export function launchOf(server: JsonObject): Launch {
  const found = [...new Set(addresses.flatMap((key) => server[key] ?? []))]
  const command = server['command'] ?? undefined
  const args = server['args'] ?? []
  if (found.length > 1) return unclear('it has several addresses')
  if (found.length === 1 && command !== undefined) return unclear('it has both a command and an address')
  const [url] = found
  const members = decisive.filter((key) => (server[key] ?? undefined) !== undefined)
  if (typeof url === 'string') return { kind: 'url', url, sets: members }
  if (found.length === 1) return unclear('its address is not a string')
  if (command === undefined) return unclear('it has neither a command nor an address')
  if (!Array.isArray(args)) return unclear('its arguments are not a list')
  const words: unknown[] = [command, ...args]
  if (!isTexts(words)) return unclear('its command line has a value that is not a string')
  return { kind: 'command', words, sets: [...variablesIn(server), ...members], passes: passedIn(server) }
}

function isTexts(words: unknown[]): words is string[] {
  return words.every((word) => typeof word === 'string')
}

/** `env` sets values; `env_vars` passes on existing ones. */
function variablesIn({ env, env_vars: passed }: JsonObject): string[] {
  return [...Object.keys(objectOf(env)), ...namesIn(passed)]
}

function namesIn(passed: unknown): string[] {
  const names: unknown[] = Array.isArray(passed) ? passed : []
  return names.map((name) => String(typeof name === 'string' ? name : objectOf(name)['name']))
}

/** `env` overrides `env_vars`; `"A": "${A}"` passes A on too. */
function passedIn({ env, env_vars: passed }: JsonObject): string[] {
  const given = Object.entries(objectOf(env))
  const isSame = (name: string, value: unknown) => value === `\${${name}}` || value === `\${env:${name}}`
  return [
    ...given.filter(([name, value]) => isSame(name, value)).map(([name]) => name),
    ...namesIn(passed).filter((name) => !given.some(([other]) => other === name)),
  ]
}

function unclear(why: string): Launch {
  return { kind: 'unclear', why }
}
