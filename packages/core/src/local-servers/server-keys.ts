import { objectMembers, type Members, type Reading } from '../json-reading.ts'
import type { JsonNode } from '../json-source.ts'
import { suggest } from '../suggest.ts'

/** The members of an object, and every known key that is present or that a misspelled key stands for. */
export interface KnownKeys {
  readonly members: Members
  readonly meant: ReadonlySet<string>
}

interface Keys {
  readonly known: readonly string[]
  /** Keys of other clients, which have no effect here. */
  readonly ignored: ReadonlySet<string>
}

const common = [
  'type',
  'description',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'tools',
  'capabilities',
  'disabled',
  'enabled',
  'startTimeoutMs',
  'callTimeoutMs',
]

/** The keys of a file that contains one server. */
export const fileKeys: Keys = { known: ['$schema', 'name', ...common], ignored: new Set() }

/** The keys of a named server. Clients also keep their own settings there: when to ask, how to sign in, how long to wait. */
export const memberKeys: Keys = {
  known: common,
  ignored: new Set([
    'alwaysAllow',
    'alwaysLoad',
    'auth',
    'authProviderType',
    'autoApprove',
    'dev',
    'extensionName',
    'gallery',
    'networkTimeout',
    'oauth',
    'targetAudience',
    'targetServiceAccount',
    'timeout',
    'trust',
    'version',
    'watchPaths',
  ]),
}

export const listKeys: Keys = {
  known: ['$schema', 'mcpServers', 'servers'],
  // VS Code prompts for these values.
  ignored: new Set(['inputs']),
}

/** Meaningful keys of other clients: ignoring them would give the server less, or let it do more, than intended. */
const fixes: ReadonlyMap<string, string> = new Map([
  ['disabledTools', 'expected no choice of tools here; write it into permissions of .pml.json'],
  ['enabledTools', 'expected no choice of tools here; write it into permissions of .pml.json'],
  ['envFile', 'expected the variables themselves under env; write "NAME": "${NAME}" for each'],
  ['excludeTools', 'expected no choice of tools here; write it into permissions of .pml.json'],
  ['headersHelper', 'expected the headers themselves under headers; write secrets as "${NAME}"'],
  ['httpUrl', 'expected url; rename it'],
  ['includeTools', 'expected no choice of tools here; write it into permissions of .pml.json'],
  ['name', 'expected no name, as the key above it is the name; remove it'],
  ['sandboxEnabled', 'expected no sandbox, as pml has none for servers; remove it if they may do without'],
  ['serverUrl', 'expected url; rename it'],
  ['timeout', 'expected startTimeoutMs or callTimeoutMs; rename it'],
  ['transport', 'expected type; rename it'],
  ['transportType', 'expected type; rename it'],
])

/** Reports each unknown key, with the likely intended one. */
export function readKeys(reading: Reading, node: JsonNode, { known, ignored }: Keys): KnownKeys {
  const members = new Map<string, JsonNode>()
  const meant = new Set<string>()
  for (const { key, name, value } of objectMembers(reading, node)) {
    if (ignored.has(key)) continue
    if (known.includes(key)) members.set(key, members.get(key) ?? value)
    else reading.source.report(name, explain(key, known))
    meant.add(known.includes(key) ? key : (findMeant(key, known) ?? key))
  }
  return { members, meant }
}

function explain(key: string, known: readonly string[]): string {
  const nearest = findMeant(key, known)
  const other = nearest === undefined ? `one of ${known.join(', ')}; remove it` : `${nearest}; rename it`
  return fixes.get(key) ?? `expected ${other}`
}

/** A file of one server may have been meant to contain several. */
function findMeant(key: string, known: readonly string[]): string | undefined {
  if (key === 'httpUrl' || key === 'serverUrl') return 'url'
  return suggest(key, [...known, ...listKeys.known])
}
