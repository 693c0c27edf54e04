import type { JsonObject } from '@pml/hooks'
import { objectOf } from '@pml/hooks/agents'

/** How an agent starts or reaches an MCP server. */
export type Launch =
  | {
      readonly kind: 'command'
      readonly words: readonly string[]
      readonly sets: readonly string[]
      /** Those of `sets` that have the value of the agent's own environment. */
      readonly passes: readonly string[]
    }
  | { readonly kind: 'url'; readonly url: string; readonly sets: readonly string[] }
  /** It may be started in a way that is not seen here. */
  | { readonly kind: 'unclear'; readonly why: string }

const addresses = ['url', 'httpUrl', 'serverUrl', 'tcp']
/** Members that decide what runs, beside the command line and the variables. */
const decisive = ['cwd', 'envFile', 'headersHelper']

/** A server as the configuration of an agent has it. Which of two ways an agent takes is not for us to guess. */
export function launchOf(server: JsonObject): Launch {
  const found = [...new Set(addresses.flatMap((key) => server[key] ?? []))]
  const command = server['command'] ?? undefined
  const args = server['args'] ?? []
  if (found.length > 1) return unclear('it has several addresses')
  if (found.length === 1 && command !== undefined) return unclear('it has both a command and an address')
  const [url] = found
  const members = decisive.filter((key) => (server[key] ?? undefined) !== undefined)
  if (typeof url === 'string') return { kind: 'url', url, sets: members }
  if (found.length === 1) return unclear('its address is no text')
  if (command === undefined) return unclear('it has neither a command nor an address')
  if (!Array.isArray(args)) return unclear('its arguments are no list')
  const words: unknown[] = [command, ...args]
  if (!isTexts(words)) return unclear('its command line has something else than texts')
  return { kind: 'command', words, sets: [...variablesIn(server), ...members], passes: passedIn(server) }
}

function isTexts(words: unknown[]): words is string[] {
  return words.every((word) => typeof word === 'string')
}

/** `env` gives values, `env_vars` passes on what there is. */
function variablesIn({ env, env_vars: passed }: JsonObject): string[] {
  return [...Object.keys(objectOf(env)), ...namesIn(passed)]
}

function namesIn(passed: unknown): string[] {
  const names: unknown[] = Array.isArray(passed) ? passed : []
  return names.map((name) => String(typeof name === 'string' ? name : objectOf(name)['name']))
}

/** A value in `env` beats one that is passed on; `"A": "${A}"` passes A on as well. */
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
