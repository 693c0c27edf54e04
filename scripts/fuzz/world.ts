import { createHash } from 'node:crypto'

/** An entry that is published before the fuzzer starts and never changes, so that every response about it is known. */
export interface Entry {
  readonly name: string
  readonly type: 'deno' | 'stdio' | 'http'
  readonly visibility: 'public' | 'private'
  readonly retired: boolean
  readonly integrity: string
  /** The label in the FQDN. */
  readonly hash: string
  /** The published content; the registry serves a module unchanged, and adds to a document. */
  readonly source: string
  /** The integrities of earlier releases. */
  readonly superseded: readonly string[]
}

export interface World {
  readonly url: string
  readonly root: string
  readonly entries: readonly Entry[]
  readonly keys: Readonly<Record<KeyName, string>>
  readonly openapi: OpenApi
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

export interface Operation {
  /** Empty if anyone may call. */
  readonly security: readonly object[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
}

export type JsonSchema = Readonly<Record<string, unknown>>

export const keyNames = ['admin', 'reader', 'publisher', 'hook', 'approver', 'stranger', 'revoked'] as const
export type KeyName = (typeof keyNames)[number]

/** Appears in everything private that the fuzzer publishes; only keys of its org may see it. */
export const PRIVATE_MARK = 'for-members-only'

const scopes: Record<Exclude<KeyName, 'admin'>, readonly string[]> = {
  reader: ['read:secret'],
  publisher: ['publish:fuzz'],
  hook: ['hook'],
  approver: ['approve', 'pattern'],
  stranger: ['read:acme'],
  revoked: ['admin'],
}

/** Keys that may see the private entries. */
export const insiders: ReadonlySet<string> = new Set<KeyName>(['admin', 'reader'])

interface Plan {
  readonly name: string
  readonly sources: readonly (string | object)[]
  readonly visibility?: 'private'
  readonly retired?: boolean
}

const longest = 'x'.repeat(64)
const module = (text: string) => `export const description = '${text}'\nexport default () => '${text}'\n`
const http = (description: string) => ({
  type: 'http',
  description,
  routing: 'server',
  proxyTo: 'https://api.example.invalid/mcp',
  envRequired: ['API_KEY'],
  tools: ['search:find', 'search:count'],
})

const plans: readonly Plan[] = [
  { name: 'acme.tools.text.shout', sources: [module('Shouts')] },
  { name: 'Acme.tools.text.shout', sources: [module('Another case of the same letters')] },
  { name: 'acme.tools.text.greet', sources: [module('Grüßt 🙂 \u2028')] },
  { name: 'acme.tools.text.changed', sources: [module('First'), module('Second'), module('Third')] },
  { name: 'acme.tools.text.collided', sources: collidingModules() },
  { name: 'acme.tools.text.retired', sources: [module('Retired')], retired: true },
  { name: [longest, longest, longest, longest].join('.'), sources: [module('The longest name')] },
  { name: '_a.b-.c_.D', sources: [module('Every kind of character')] },
  { name: 'pml.mcp.search.server', sources: [http('Searches')] },
  {
    name: 'pml.mcp.files.server',
    sources: [{ type: 'stdio', description: 'Files', install: { command: 'npx', args: ['-y', 'files'] } }],
  },
  { name: 'secret.team.vault.open', sources: [module(PRIVATE_MARK)], visibility: 'private' },
  { name: 'secret.team.vault.server', sources: [http(PRIVATE_MARK)], visibility: 'private' },
  ...Array.from({ length: 30 }, (_, index) => ({
    name: `acme.many.list.item_${index}`,
    sources: [module(`Item ${index}`)],
  })),
]

/** Publishes the entries and creates the keys. */
export async function createWorld({ url, adminKey, root }: { url: string; adminKey: string; root: string }) {
  const send = async (method: string, path: string, body?: string | object) => {
    const isText = typeof body === 'string'
    const type = isText ? 'application/typescript' : 'application/json'
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': type },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`Cannot ${method} ${path}: ${await response.text()}`)
    return response.status === 204 ? {} : ((await response.json()) as Record<string, string>)
  }
  const keys: Record<string, string> = { admin: adminKey }
  for (const [name, held] of Object.entries(scopes)) {
    const { id = '', key = '' } = await send('POST', '/keys', { name, scopes: held, specialist: 'reviewer' })
    keys[name] = key
    if (name === 'revoked') await send('DELETE', `/keys/${id}`)
  }
  const entries = []
  for (const plan of plans) entries.push(await publish(plan, send))
  const openapi = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  return { url, root, entries, keys: keys as Record<KeyName, string>, openapi } satisfies World
}

async function publish(
  { name, sources, visibility, retired = false }: Plan,
  send: (method: string, path: string, body?: string | object) => Promise<Record<string, string>>,
): Promise<Entry> {
  const integrities: string[] = []
  let hash = ''
  for (const source of sources) {
    const { fqdn = '', integrity = '' } = await send(
      'PUT',
      `/mcp/${name}?visibility=${visibility ?? 'public'}`,
      source,
    )
    integrities.push(integrity)
    hash = fqdn.slice(name.length + 1)
  }
  if (retired) await send('DELETE', `/mcp/${name}`)
  const source = sources.at(-1) ?? ''
  const isModule = typeof source === 'string'
  return {
    name,
    visibility: visibility ?? 'public',
    retired,
    hash,
    type: isModule ? 'deno' : (source as { type: 'stdio' | 'http' }).type,
    integrity: isModule ? integrityOf(source) : (integrities.at(-1) ?? ''),
    source: isModule ? source : JSON.stringify(source),
    superseded: integrities.slice(0, -1),
  }
}

/** Two modules whose integrities begin with the same four characters, so their hashes are longer. */
function collidingModules(): string[] {
  const seen = new Map<string, string>()
  for (let index = 0; ; index++) {
    const source = module(`Collides ${index}`)
    const label = integrityOf(source).slice(0, 'sha256-'.length + 4)
    const earlier = seen.get(label)
    if (earlier !== undefined) return [earlier, source]
    seen.set(label, source)
  }
}

export function integrityOf(bytes: string | Buffer): string {
  return `sha256-${createHash('sha256').update(bytes).digest('hex')}`
}
