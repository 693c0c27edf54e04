import fc, { type Arbitrary } from 'fast-check'
import { catalogPage, metadata } from '@pml/core/schemas'
import { printRaw, printRequest, type Client } from './client.ts'
import type { Answer } from './exchange.ts'
import { errorIn, findRoute, jsonIn } from './properties.ts'
import { rawRequests } from './raw-requests.ts'
import { checkRead } from './reading.ts'
import { calls, reads, type Request } from './requests.ts'
import { requireThat } from './violation.ts'
import { insiders, integrityOf, keyNames, type World } from './world.ts'

/** Some requests and the properties of their responses. */
export interface Case {
  readonly kind: string
  /** Lines that a person can run to repeat the case. */
  print(): string
  run(client: Client): Promise<void>
}

export function cases(world: World): Arbitrary<Case> {
  return fc.oneof(
    { arbitrary: reads(world).map((request) => readCase(world, request)), weight: 12 },
    { arbitrary: calls(world).map((request) => callCase(world, request)), weight: 8 },
    { arbitrary: walks.map((walk) => walkCase(world, walk)), weight: 2 },
    { arbitrary: pipelines(world).map((pipeline) => pipelineCase(world, pipeline)), weight: 2 },
    { arbitrary: races.map(raceCase), weight: 1 },
    { arbitrary: rawRequests(world).map(rawCase), weight: 1 },
  )
}

function readCase(world: World, request: Request): Case {
  return {
    kind: 'read',
    print: () => printRequest(world, request),
    run: async (client) => {
      const answer = await client.send(request)
      const followUp = checkRead(world, request, answer)
      if (followUp) {
        const { status } = await client.send({
          ...request,
          method: 'GET',
          target: followUp.target,
          headers: keyIn(request),
        })
        requireThat(status === 200, followUp.property, () => `${followUp.target}: ${status}`)
      }
      if (request.method === 'GET') await compareWithHead(client, request, answer)
    },
  }
}

function keyIn({ headers }: Request): Request['headers'] {
  return headers.filter(([name]) => name === 'Authorization')
}

/** Headers that differ between responses, and the framing of bodies with unknown length. */
const varying = new Set([
  'date',
  'x-request-id',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'retry-after',
])
const volatile = /^\/(?:metrics|audit|keys|proxy|approvals)\b/

async function compareWithHead(client: Client, request: Request, answer: Answer): Promise<void> {
  const route = findRoute(client.world, request)?.path ?? ''
  if (route.startsWith('/proxy/') || answer.status === 429 || answer.status === 405) return
  const head = await client.send({ ...request, method: 'HEAD' })
  if (head.status === 429) return
  const headersOf = ({ headers }: Answer) =>
    [...headers]
      .filter(([name]) => !varying.has(name) && !(name === 'content-length' && volatile.test(route)))
      .filter(([name]) => name !== 'content-length' || answer.headers.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const [got, asked] = [head, answer].map((answer) => JSON.stringify([answer.status, headersOf(answer)]))
  requireThat(got === asked, 'HEAD is GET without a body', () => `GET ${asked}\nHEAD ${got}`)
}

function callCase(world: World, request: Request): Case {
  return {
    kind: 'call',
    print: () => printRequest(world, request),
    run: async (client) => {
      const answer = await client.send(request)
      const found = () => `${answer.status} ${answer.body.toString('latin1')}`
      if (errorIn(answer) === 'invalid_arguments')
        requireThat(Array.isArray(jsonIn(answer)?.['issues']), 'invalid_arguments has issues', found)
      const isPublished = request.method === 'PUT' && answer.status < 300
      if (isPublished) await readBack(client, request, answer)
    },
  }
}

/** A published entry is immediately available at the address in the response. */
async function readBack(client: Client, request: Request, answer: Answer): Promise<void> {
  const { fqdn, integrity, created } = jsonIn(answer) ?? {}
  const found = () =>
    `${answer.status} ${JSON.stringify([...answer.headers])} ${answer.body.toString('latin1')}`
  requireThat(
    answer.status === (created === true ? 201 : 200),
    'a new release is 201, the same again 200',
    found,
  )
  requireThat(answer.headers.get('location') === `/mcp/${String(fqdn)}`, 'PUT answers with Location', found)
  const headers = keyIn(request)
  const read = await client.send({ method: 'GET', target: `/mcp/${String(fqdn)}`, headers })
  const isSame = read.status === 200 && read.headers.get('etag') === `"${String(integrity)}"`
  requireThat(
    isSame,
    'what was published can be read',
    () => `${read.status} ${read.body.toString('latin1')}`,
  )
  if (read.headers.get('x-pml-type') !== 'deno') return
  const isEqual = read.body.equals(Buffer.from(request.body ?? '', 'latin1'))
  requireThat(isEqual && integrityOf(read.body) === integrity, 'code is served byte for byte', found)
}

interface Walk {
  readonly filter: Readonly<Record<string, string>>
  readonly limit: number
  readonly by: 'page' | 'cursor' | 'link'
  readonly key: string
}

/** Filters that leave at most a page. */
const rareFilters = [
  ...['stdio', 'http'].map((type) => ['type', type]),
  ['routing', 'server'],
  ...['text:shout', 'search:find', 'list:item_7', 'no:thing'].map((tool) => ['tool', tool]),
  ...['Shouts', 'search', 'item_7', 'for-members-only', 'no such thing'].map((q) => ['q', q]),
]

const walks: Arbitrary<Walk> = fc.record({
  filter: fc
    .array(
      fc.oneof(
        { arbitrary: fc.constantFrom(['type', 'deno'], ['routing', 'client'], ['q', 'item']), weight: 3 },
        { arbitrary: fc.constantFrom(...rareFilters), weight: 1 },
      ),
      { maxLength: 2 },
    )
    .map((pairs) => Object.fromEntries(pairs) as Record<string, string>),
  limit: fc.constantFrom(10, 30, 50, 100),
  by: fc.constantFrom('page', 'cursor', 'link'),
  key: fc.constantFrom('', ...keyNames.filter((name) => name !== 'revoked')),
})

/** All pages of a list: every entry exactly once, sorted, and as many as the total. */
function walkCase(world: World, { filter, limit, by, key }: Walk): Case {
  const headers = key === '' ? [] : [['Authorization', `Bearer <${key}>`] as const]
  const first = `/mcp?${new URLSearchParams({ ...filter, limit: String(limit) })}`
  return {
    kind: `walk by ${by}`,
    print: () => printRequest(world, { method: 'GET', target: first, headers }),
    run: async (client) => {
      const names: string[] = []
      let target: string | undefined = first
      for (let number = 1; target !== undefined; number++) {
        const answer: Answer = await client.send({ method: 'GET', target, headers })
        const page = catalogPage.parse(jsonIn(answer))
        const found = () =>
          `${target}: ${JSON.stringify([...answer.headers])} ${answer.body.toString('latin1')}`
        names.push(...page.items.map(({ fqdn }) => fqdn.slice(0, fqdn.lastIndexOf('.'))))
        requireThat(page.page === number && page.limit === limit, 'a page has its number and limit', found)
        requireThat(page.items.length <= limit, 'a page is no longer than its limit', found)
        const isLast = page.nextCursor === undefined
        const links = linksIn(answer)
        requireThat(
          isLast === (links['next'] === undefined),
          'Link has next unless it is the last page',
          found,
        )
        requireThat(number > 1 === 'prev' in links, 'Link has prev unless it is the first page', found)
        if (isLast && isExact(page))
          requireThat(page.total === names.length, 'total is how many there are', found)
        const isShared = /\bpublic\b/.test(answer.headers.get('cache-control') ?? '')
        requireThat(!(isShared && insiders.has(key)), 'what is private is never public', found)
        target = isLast ? undefined : nextTarget({ first, by, number, page, links })
      }
      checkNames(world, { filter, key, names })
    },
  }
}

/** A registry may declare a total to be an estimate. */
function isExact(page: object): boolean {
  return !('totalIsExact' in page && page.totalIsExact === false)
}

function nextTarget(step: {
  first: string
  by: Walk['by']
  number: number
  page: { nextCursor?: string | undefined }
  links: Record<string, string>
}): string | undefined {
  if (step.by === 'link') return step.links['next']
  const { nextCursor = '' } = step.page
  return step.by === 'page'
    ? `${step.first}&page=${step.number + 1}`
    : `${step.first}&cursor=${encodeURIComponent(nextCursor)}`
}

function linksIn({ headers }: Answer): Record<string, string> {
  const links = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)]
  return Object.fromEntries(links.map(([, target = '', rel = '']) => [rel, target]))
}

function checkNames(
  { entries }: World,
  { filter, key, names }: { filter: Walk['filter']; key: string; names: readonly string[] },
): void {
  const found = () => names.join(' ')
  requireThat(new Set(names).size === names.length, 'no entry is on two pages', found)
  const { q, tool, ...exact } = filter
  const isSorted = names.join() === names.toSorted((a, b) => (a < b ? -1 : 1)).join()
  requireThat(q !== undefined || isSorted, 'the catalog is sorted by name', found)
  if (q !== undefined || tool !== undefined) return
  const expected = entries.filter(
    ({ retired, visibility, type, source }) =>
      !retired &&
      (visibility === 'public' || insiders.has(key)) &&
      (exact['type'] ?? type) === type &&
      (exact['routing'] ?? routingOf(source)) === routingOf(source),
  )
  const wanted = new Set(expected.map(({ name }) => name))
  // The registry publishes pml.std itself.
  const listed = new Set(names.filter((name) => !/^(?:fuzz|pml\.std)\./.test(name)))
  const missing = [...wanted].filter((name) => !listed.has(name))
  const surplus = [...listed].filter((name) => !wanted.has(name))
  requireThat(
    missing.length + surplus.length === 0,
    'the catalog has every entry that the filter lets through, and no other',
    () => `missing: ${missing.join(' ')}, surplus: ${surplus.join(' ')}`,
  )
}

/** Without configuration, everything runs at the client unless its document says otherwise. */
function routingOf(source: string): string {
  return source.includes('"routing":"server"') ? 'server' : 'client'
}

interface Pipeline {
  readonly requests: readonly Request[]
  readonly cuts: readonly number[]
}

/** Valid reads only: the response of each is known not to change. */
function pipelines({ entries }: World): Arbitrary<Pipeline> {
  const target = fc
    .constantFrom(...entries)
    .chain(({ name, hash, integrity }) =>
      fc.constantFrom(
        `/mcp/${name}`,
        `/mcp/${name}.${hash}`,
        `/mcp/${name}.0000`,
        `/blobs/${integrity}`,
        '/healthz',
        '/nothing',
      ),
    )
  const request = fc.record({
    method: fc.constantFrom('GET', 'GET', 'HEAD'),
    target,
    headers: fc.constantFrom(
      [],
      [['Authorization', 'Bearer <reader>'] as const],
      [['If-None-Match', '*'] as const],
    ),
  })
  return fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 6 }),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 8 }),
  })
}

/** Pipelined or split requests get the same responses, in order, as separate ones. */
function pipelineCase(world: World, { requests, cuts }: Pipeline): Case {
  const comparable = ({ status, headers, body }: Answer) =>
    JSON.stringify([status, [...headers].filter(([name]) => !varying.has(name)), body.toString('latin1')])
  return {
    kind: 'pipeline',
    print: () =>
      [...requests.map((request) => printRequest(world, request)), `cut at ${cuts.join(', ')}`].join('\n'),
    run: async (client) => {
      const together = await client.pipeline(requests, cuts)
      const property = 'requests on one connection are answered as each of them alone'
      requireThat(together.length === requests.length, property, () => `${together.length} answers`)
      for (const [index, request] of requests.entries()) {
        const [one, other] = [together[index], await client.send(request)].map(
          (answer) => answer && comparable(answer),
        )
        requireThat(one === other, property, () => `together ${one}\nalone ${other}`)
      }
    },
  }
}

interface Race {
  readonly name: string
  readonly contents: readonly number[]
  readonly readers: number
  readonly retires: boolean
}

const races: Arbitrary<Race> = fc.record({
  name: fc.constantFrom('fuzz.race.of.names_0', 'fuzz.race.of.names_1'),
  contents: fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 5 }),
  readers: fc.integer({ min: 0, max: 6 }),
  retires: fc.boolean(),
})

/** Concurrent writers and readers of one name: each sees a complete release, and the last one stays. */
function raceCase({ name, contents, readers, retires }: Race): Case {
  const headers = [['Authorization', 'Bearer <admin>'] as const]
  const sources = contents.map((number) => `export default () => ${number}\n`)
  const target = `/mcp/${name}`
  return {
    kind: 'race',
    print: () =>
      `at once: PUT ${target} with ${JSON.stringify(sources)}, ${readers} readers, retire: ${retires}`,
    run: async (client) => {
      const put = async (source: string) => {
        const answer = await client.send({ method: 'PUT', target, headers, body: source })
        const found = () => `${answer.status} ${answer.body.toString('latin1')}`
        requireThat(
          answer.status === 200 || answer.status === 201,
          'every writer of a race is answered',
          found,
        )
      }
      const read = async () => {
        const { status, headers: given } = await client.send({ method: 'GET', target, headers: [] })
        requireThat(
          [302, 404, 410].includes(status),
          'readers of a race see a release or none',
          () => `${status}`,
        )
        const location = given.get('location')
        if (location === undefined) return
        const {
          status: then,
          headers: told,
          body,
        } = await client.send({ method: 'GET', target: location, headers: [] })
        if (then !== 200) return
        const isWhole =
          told.get('etag') === `"${integrityOf(body)}"` && told.get('x-pml-fqdn') === location.slice(5)
        requireThat(isWhole, 'ETag is the hash of the bytes, in a race too', () => body.toString('latin1'))
      }
      const retire = () => client.send({ method: 'DELETE', target, headers })
      await Promise.all([
        ...sources.map(put),
        ...Array.from({ length: readers }, read),
        ...(retires ? [retire()] : []),
      ])
      await checkOutcome(client, { name, sources, retires })
    },
  }
}

async function checkOutcome(
  client: Client,
  { name, sources, retires }: { name: string; sources: readonly string[]; retires: boolean },
): Promise<void> {
  const answer = await client.send({ method: 'GET', target: `/mcp/${name}/metadata`, headers: [] })
  if (retires && answer.status === 410) return
  const property = 'after a race one of the releases is current'
  const { data } = metadata.safeParse(jsonIn(answer))
  const integrities = sources.map((source) => integrityOf(source))
  requireThat(data !== undefined && integrities.includes(data.integrity), property, () =>
    answer.body.toString(),
  )
  const current = await client.send({ method: 'GET', target: `/mcp/${data?.fqdn}`, headers: [] })
  const isSame = current.status === 200 && integrityOf(current.body) === data?.integrity
  requireThat(isSame, property, () => `${current.status} ${current.body.toString('latin1')}`)
  for (const integrity of integrities) {
    const { status } = await client.send({ method: 'GET', target: `/blobs/${integrity}`, headers: [] })
    requireThat(
      status === 200,
      'every release that was acknowledged is at /blobs',
      () => `${integrity}: ${status}`,
    )
  }
}

function rawCase(bytes: string): Case {
  return {
    kind: 'raw',
    print: () => printRaw(bytes),
    run: async (client) => {
      const answer = await client.sendRaw(bytes)
      if (answer && answer.status >= 400) {
        const found = () => `${answer.status} ${answer.body.toString('latin1')}`
        requireThat(
          (typeof errorIn(answer) === 'string' || jsonIn(answer)?.['jsonrpc'] === '2.0') &&
            answer.status < 500,
          'what is no request is refused with JSON',
          found,
        )
      }
      const { status } = await client.send({ method: 'GET', target: '/healthz', headers: [] })
      requireThat(status === 200, 'the server lives on', () => `${status}`)
    },
  }
}
