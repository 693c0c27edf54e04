import fc, { type Arbitrary } from 'fast-check'
import { bodyFor, moduleBody } from './bodies.ts'
import { keyNames, type Entry, type KeyName, type World } from './world.ts'

/** A request to send. Strings have one character per byte; `<key>` in a value is a placeholder for that key. */
export interface Request {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | undefined
}

const usual = <T>(value: T, other: Arbitrary<T>, weight = 4) =>
  fc.oneof({ arbitrary: fc.constant(value), weight }, { arbitrary: other, weight: 1 })

/** Any read request, valid or nearly so. */
export function reads(world: World): Arbitrary<Request> {
  return fc
    .record({
      method: usual(
        'GET',
        fc.constantFrom('HEAD', 'OPTIONS', 'POST', 'PATCH', 'TRACE', 'PROPFIND', 'DELETE'),
        9,
      ),
      target: targets(world),
      key: keys,
      headers: fc.array(fc.oneof(condition, headers), { maxLength: 4 }),
      address,
    })
    .map(({ method, target, key, headers, address }) => ({
      // Only writes to the fuzzer's own names may succeed: see `calls`.
      method: key.includes('<admin>') && method === 'DELETE' ? 'GET' : method,
      target,
      headers: [
        ...address,
        ...(key === '' ? [] : [['Authorization', key] as const]),
        ...headers.map((header) => withTag(world, target, header)),
      ],
    }))
}

/** Every operation of the OpenAPI document, with bodies generated from its schemas and then damaged. */
export function calls(world: World): Arbitrary<Request> {
  const operations = Object.entries(world.openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return fc.constantFrom(...operations).chain(({ path, method, operation }) => {
    const schema = operation.requestBody?.content['application/json']?.schema
    const document = schema && bodyFor(schema, world.openapi)
    const isPublication = method === 'PUT'
    return fc
      .record({
        target: fillPath(path),
        query: usual('', queryText, 3),
        key: usual('Bearer <admin>', keys, 2),
        body: isPublication
          ? fc.oneof(moduleBody, document ?? moduleBody)
          : (document ?? fc.constant(undefined)),
        type: usual('', contentTypes, 5),
        headers: fc.array(headers, { maxLength: 2 }),
        address,
      })
      .map(({ target, query, key, body, type, headers, address }) => ({
        method,
        target: `${target}${query}`,
        headers: [
          ...address,
          ...(key === '' ? [] : [['Authorization', key] as const]),
          ...(body === undefined ? [] : [['Content-Type', type || body.type] as const]),
          ...headers,
        ],
        body: body?.text,
      }))
  })
}

/** Names that the fuzzer may publish, change and retire. Everything that starts with `fuzz.` may change at any time. */
const poolName = fc.integer({ min: 0, max: 3 }).map((number) => `fuzz.pool.of.names_${number}`)

const nastyCharacters = [
  '.',
  '..',
  '/',
  '//',
  '%2f',
  '%2e',
  '%2E%2e',
  '%00',
  '%',
  '%zz',
  '%0d%0a',
  '%c3%28',
  '%f0%9f%99%82',
  '?',
  '&',
  '=',
  '+',
  ';',
  ':',
  '@',
  '~',
  '*',
  "'",
  '"',
  '<',
  '>',
  '|',
  '^',
  '`',
  '{',
  '}',
  '[',
  ']',
  '$',
  'A'.repeat(65),
  'a'.repeat(2e3),
  '%61',
  '%41',
  '-',
  '_',
  '0',
  'e%CC%81',
  '.json',
]

/** Damages a text in one position: drops, repeats, changes case, encodes or inserts. */
const damage: Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    fc.oneof(
      fc.constantFrom('drop', 'repeat', 'swap case', 'encode').map((kind) => ({ kind, text: '' })),
      fc.constantFrom(...nastyCharacters).map((text) => ({ kind: 'insert', text })),
    ),
  )
  .map(([where, { kind, text: inserted }]) => (text) => {
    const at = Math.floor(where * text.length)
    const [before, character, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)]
    if (kind === 'drop') return before + after
    if (kind === 'repeat') return before + character + character + after
    if (kind === 'encode') return `${before}%${character.charCodeAt(0).toString(16).padStart(2, '0')}${after}`
    if (kind === 'insert') return before + inserted + character + after
    const upper = character.toUpperCase()
    return before + (upper === character ? character.toLowerCase() : upper) + after
  })

/** A text, or a damaged version of it. */
function damaged(text: Arbitrary<string>, weight = 2): Arbitrary<string> {
  return fc.oneof(
    { arbitrary: text, weight },
    { arbitrary: fc.tuple(text, fc.array(damage, { minLength: 1, maxLength: 3 })).map(applyAll), weight: 1 },
  )
}

function applyAll([text, damages]: [string, ((text: string) => string)[]]): string {
  return damages.reduce((damaged, damage) => damage(damaged), text)
}

function references(entries: readonly Entry[]): Arbitrary<string> {
  // The many similar entries exist for the catalog.
  const special = entries.filter(({ name }) => !name.startsWith('acme.many.'))
  const known = fc.constantFrom(...special).chain((entry) => {
    const hex = entry.integrity.slice('sha256-'.length)
    const old = entry.superseded.map((integrity) => integrity.slice('sha256-'.length))
    const wrong = fc.constantFrom(
      hex.slice(0, 3),
      hex.toUpperCase(),
      `${hex}0`,
      entry.hash.toUpperCase(),
      '0000',
      'zzzz',
      'toString',
      '__proto__',
      '-',
      '_',
      ...old.flatMap((hex) => [hex, hex.slice(0, 4), hex.slice(0, entry.hash.length)]),
    )
    const right = fc.constantFrom(entry.hash, entry.hash, hex, hex.slice(0, 12))
    const hash = fc.oneof(fc.constant(''), right, wrong)
    return hash.map((hash) => (hash === '' ? entry.name : `${entry.name}.${hash}`))
  })
  const unknown = fc.constantFrom(
    'a.b.c.d',
    'a.b.c.d.0000',
    'pml.mcp.nobody.server',
    'local.mcp.x.server',
    '...',
  )
  return damaged(fc.oneof({ arbitrary: known, weight: 8 }, unknown, poolName, odd))
}

/** Bytes that a target may contain. */
const odd = fc
  .array(fc.constantFrom(...nastyCharacters, 'a', 'b.c', 'mcp', 'metadata', 'blobs', 'constructor'), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))

const queryNames = [
  'type',
  'routing',
  'tool',
  'q',
  'page',
  'limit',
  'cursor',
  'wait',
  'status',
  'unknown',
  '__proto__',
]
const queryValues = [
  '',
  '0',
  '1',
  '2',
  '50',
  '100',
  '101',
  '-1',
  '1e3',
  '01',
  '1.5',
  '99999999999999999999',
  'NaN',
  ' 1',
  'deno',
  'stdio',
  'http',
  'DENO',
  'client',
  'server',
  'search:find',
  'text:*',
  'shout',
  'item_1',
  'a b',
  "'; drop table mcp_name; --",
  '%',
  '_',
  '\\',
  '\0',
  '🙂',
  '\ud800',
  'MTphLmIuYy5k',
  'e30',
  '(((',
  '*',
]
const queryText = fc
  .array(fc.tuple(fc.constantFrom(...queryNames), fc.constantFrom(...queryValues)), { maxLength: 4 })
  .chain((pairs) => damaged(fc.constant(`?${new URLSearchParams(pairs)}`), 6))

function targets(world: World): Arbitrary<string> {
  const reference = references(world.entries)
  const integrities = world.entries.flatMap(({ integrity, superseded }) => [integrity, ...superseded])
  const integrity = damaged(fc.constantFrom(...integrities, `sha256-${'0'.repeat(64)}`))
  const path = fc.oneof(
    { arbitrary: reference.map((reference) => `/mcp/${reference}`), weight: 10 },
    { arbitrary: reference.map((reference) => `/mcp/${reference}/metadata`), weight: 3 },
    { arbitrary: reference.map((reference) => `/api/registry/${reference}`), weight: 1 },
    { arbitrary: integrity.map((integrity) => `/blobs/${integrity}`), weight: 3 },
    { arbitrary: fc.constantFrom('/mcp', '/mcp', '/api/registry'), weight: 5 },
    { arbitrary: damaged(fc.constantFrom(...Object.keys(world.openapi.paths))), weight: 2 },
    { arbitrary: odd.map((text) => `/${text}`), weight: 1 },
  )
  const rooted = path.map((path) => path.replace(/^\/?/, '/'))
  return fc.tuple(rooted, usual('', queryText, 2)).map((parts) => parts.join(''))
}

const ids = fc.constantFrom('chg_000000000000', 'pat_0', 'nobody', '%00', '..', 'a'.repeat(300), '%ff')

function fillPath(path: string): Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    if (part === '{reference}')
      return damaged(
        poolName.map((name) => name.slice('fuzz.'.length)),
        8,
      ).map((rest) => `fuzz.${rest}`)
    if (part === '{agent}') return usual('claude', fc.constantFrom('codex', 'cursor', 'gemini', 'nobody'), 1)
    return part.startsWith('{') ? ids : fc.constant(part)
  })
  return fc.tuple(...parts).map((texts) => texts.join(''))
}

const validKeys = keyNames.map((name: KeyName) => `Bearer <${name}>`)
/** Empty: no Authorization header. */
const keys = fc.oneof(
  { arbitrary: fc.constant(''), weight: 6 },
  { arbitrary: fc.constantFrom(...validKeys), weight: 4 },
  {
    arbitrary: fc.constantFrom(
      'Bearer',
      'Bearer ',
      'bearer <admin>',
      'Basic YTpi',
      'Bearer pml_x_y',
      'Bearer <admin>x',
      '<admin>',
      'Bearer <admin> <admin>',
      'Bearer pml_%00_0',
      'Bearer \u00e9',
      `Bearer pml_${'a'.repeat(5000)}_b`,
      'null',
    ),
    weight: 1,
  },
)

/** Failed keys are limited by address; behind a proxy every request can have its own. */
const address = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((n) => [['X-Forwarded-For', `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`] as const])

/** Placeholder for the entity tag of the requested entry. */
const OWN_TAG = '"own"'

/** If-None-Match in every form: right, wrong, weak, lists, `*`, and invalid. */
const condition: Arbitrary<readonly [string, string]> = fc
  .tuple(
    fc.array(
      fc
        .tuple(
          fc.constantFrom('', '', 'W/', 'W/', 'w/', 'W/ '),
          fc.oneof(
            fc.constant(OWN_TAG),
            fc.constantFrom('"x"', '""', '"a,b"', '"\u00e9"', '*', 'x', '"', "'x'", '"sha256-', ''),
          ),
        )
        .map((parts) => parts.join('')),
      { minLength: 1, maxLength: 4 },
    ),
    fc.constantFrom(', ', ',', ' , ', ',,', ', ,', ' ', ';'),
  )
  .map(([items, separator]) => ['If-None-Match', items.join(separator)] as const)

function withTag({ entries }: World, target: string, [name, value]: readonly [string, string]) {
  const asked = entries.find(
    ({ name, integrity }) => target.includes(integrity) || target.includes(`${name}.`),
  )
  return [name, value.replaceAll(OWN_TAG, `"${asked?.integrity ?? 'none'}"`)] as const
}

const contentTypes = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/typescript',
  'text/plain',
  'text/html',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'a/b+json',
  ';',
  '/',
  'x',
)

const headers: Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constant('Accept'),
    fc.constantFrom('*/*', 'text/html', 'application/json;q=0', 'text/event-stream', 'x', '', ',,,'),
  ),
  fc.tuple(
    fc.constant('X-Request-Id'),
    fc.constantFrom('mine-1', 'a'.repeat(64), 'a'.repeat(65), '<script>', 'a b', '', '\u00e9', '../../etc'),
  ),
  fc.tuple(fc.constant('Range'), fc.constantFrom('bytes=0-0', 'bytes=-1', 'bytes=9-1', 'bytes=0-0,1-1', 'x')),
  fc.tuple(
    fc.constantFrom('Origin', 'Referer'),
    fc.constantFrom('https://evil.example', 'null', 'http://localhost', ''),
  ),
  fc.tuple(fc.constant('Accept-Encoding'), fc.constantFrom('gzip', 'identity;q=0', '*;q=0', 'br, x')),
  fc.tuple(fc.constant('Connection'), fc.constantFrom('close', 'keep-alive', 'x-request-id')),
  fc.tuple(
    fc.constantFrom('If-Match', 'If-Modified-Since', 'If-Range', 'If-Unmodified-Since'),
    fc.constantFrom('*', '"x"', 'Thu, 01 Jan 1970 00:00:00 GMT'),
  ),
  fc.tuple(
    fc.constantFrom(
      'X-HTTP-Method-Override',
      'X-Original-URL',
      'X-Rewrite-URL',
      'X-Forwarded-Host',
      'Forwarded',
    ),
    fc.constantFrom('DELETE', '/keys', 'evil.example', 'for=1.2.3.4'),
  ),
  fc.tuple(
    fc.constantFrom('X-PML-Description', 'X-PML-Routing', 'X-PML-Visibility'),
    fc.constantFrom('client', 'server', 'public', 'private', 'x', '\u00c3\u00a9', '\u00e9', ''),
  ),
  fc.tuple(
    fc.constantFrom('Cookie', 'X-Odd', 'constructor', '__proto__'),
    fc.constantFrom('a=b', '\u00ff', ''),
  ),
)
