import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

interface Page {
  readonly items: { fqdn: string }[]
  readonly total: number
  readonly totalIsExact: boolean
  readonly nextCursor?: string
}

let registry: TestRegistry
let admin: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  admin = await registry.key('admin')
  await server('brave-search', 'Finds pages and places', ['brave-search:local_search'])
  await server('playwright', 'Drives a browser', ['playwright:browser_take_screenshot'])
  await server('archive', 'Keeps a copy of what a search engine has seen', ['archive:store'])
  await server('kubernetes', 'Manages clusters', ['kubernetes:pods_list'])
  await server('postgres', 'Runs SQL', ['postgres:query'])
  await put('acme.files.disk.readFile', { description: 'Gives what is on the disk' })
  await put('acme.files.disk.write_file', { description: 'Puts text there' })
  await put('secret.files.disk.readFile', { description: 'Classified zebra', visibility: 'private' })
})
afterAll(() => registry.stop())

async function server(id: string, description: string, tools: string[]): Promise<void> {
  const document = { type: 'http', description, proxyTo: 'https://example.org/mcp', tools }
  const response = await registry.fetch(`/mcp/pml.mcp.${id}.server`, {
    method: 'PUT',
    body: JSON.stringify(document),
    headers: { ...admin, 'Content-Type': 'application/json' },
  })
  expect(response.status, await response.text()).toBe(201)
}

async function put(name: string, parameters: Record<string, string>): Promise<void> {
  const document = { type: 'http', description: '', proxyTo: 'https://example.org/mcp', tools: [] }
  const response = await registry.fetch(`/mcp/${name}?${new URLSearchParams(parameters)}`, {
    method: 'PUT',
    body: JSON.stringify(document),
    headers: { ...admin, 'Content-Type': 'application/json' },
  })
  expect(response.ok, await response.text()).toBe(true)
}

async function search(query: string, headers: Record<string, string> = {}): Promise<Page> {
  const response = await registry.fetch(`/mcp?${query}`, { headers })
  expect(response.status, await response.clone().text()).toBe(200)
  return (await response.json()) as Page
}

const namesIn = ({ items }: Page) => items.map(({ fqdn }) => fqdn.replace(/\.[0-9a-f]+$/, ''))
const names = async (q: string, headers?: Record<string, string>) =>
  namesIn(await search(new URLSearchParams({ q }).toString(), headers))

/** Waits until the words of new entries are indexed. */
async function collected(): Promise<void> {
  await expect.poll(() => registry.db.sql`select from catalog_unspelled`).toHaveLength(0)
}

describe('search', () => {
  it.each([
    ['brave-search', 'pml.mcp.brave-search.server'],
    ['brave search', 'pml.mcp.brave-search.server'],
    ['bravesearch', 'pml.mcp.brave-search.server'],
    ['BRAVE', 'pml.mcp.brave-search.server'],
    ['readFile', 'acme.files.disk.readFile'],
    ['read_file', 'acme.files.disk.readFile'],
    ['read file', 'acme.files.disk.readFile'],
    ['readfile', 'acme.files.disk.readFile'],
    ['reading files', 'acme.files.disk.readFile'],
    ['acme.files.disk.write_file', 'acme.files.disk.write_file'],
    ['screenshot', 'pml.mcp.playwright.server'],
    ['pods_list', 'pml.mcp.kubernetes.server'],
  ])('finds an entry by its name, parts of it and its tools: %s', async (q, expected) => {
    expect((await names(q))[0]).toBe(expected)
  })

  it.each([
    ['kube', 'pml.mcp.kubernetes.server'],
    ['playw', 'pml.mcp.playwright.server'],
    ['playwrigth', 'pml.mcp.playwright.server'],
    ['plawyrigth', 'pml.mcp.playwright.server'],
    ['kuberntes', 'pml.mcp.kubernetes.server'],
    ['kubernets', 'pml.mcp.kubernetes.server'],
    ['postgress', 'pml.mcp.postgres.server'],
    ['brwoser', 'pml.mcp.playwright.server'],
    ['screnshot', 'pml.mcp.playwright.server'],
  ])('completes words and forgives typos: %s', async (q, expected) => {
    // Words are indexed after the publication.
    await expect.poll(async () => (await names(q))[0]).toBe(expected)
  })

  it('ranks a word in the name above one in the description', async () => {
    expect(await names('search')).toEqual(['pml.mcp.brave-search.server', 'pml.mcp.archive.server'])
  })

  it('falls back to some of the words when no entry has all of them', async () => {
    expect((await names('browser for kubernetes zzzzzz')).toSorted()).toEqual([
      'pml.mcp.kubernetes.server',
      'pml.mcp.playwright.server',
    ])
    expect(await names('zzzzzz')).toEqual([])
  })

  it('never shows or counts private entries to others', async () => {
    expect(await search('q=zebra')).toMatchObject({ items: [], total: 0, totalIsExact: true })
    expect(await search('q=classified')).toMatchObject({ total: 0 })
    expect(await names('zebra', await registry.key('read:other'))).toEqual([])
    for (const scope of ['admin', 'read:secret', 'publish:secret.*'])
      expect(await names('zebra', await registry.key(scope)), scope).toEqual(['secret.files.disk.readFile'])
  })

  it('ignores private entries when it completes, corrects and ranks for others', async () => {
    await put('acme.zoo.cage.zephyrqa', { description: 'A quokka' })
    for (const id of ['one', 'two']) await put(`acme.zoo.cage.quokka_${id}`, { description: 'A quokka' })
    await collected()
    // The whole page, including the score in its cursor; never from the cache.
    let fresh = 100
    const pages = async (headers?: Record<string, string>) => {
      const limit = --fresh
      const queries = ['q=zephyrqx&limit=LIMIT', 'q=zephyr&limit=LIMIT', 'q=quokka&limit=1']
      await put('acme.zoo.cage.other', { description: `Unrelated ${limit}` })
      const found = []
      for (const query of queries)
        found.push({ ...(await search(query.replace('LIMIT', String(limit)), headers)), limit: 0 })
      return found
    }
    const before = await pages()
    expect(namesIn(before[0] as Page)).toEqual(['acme.zoo.cage.zephyrqa'])
    for (const word of ['zephyrqx', ...Array.from({ length: 13 }, (_, at) => `zephyr${at}`)])
      await put(`secret.zoo.cage.${word}`, { description: 'A quokka', visibility: 'private' })
    await collected()
    expect(await pages()).toEqual(before)
    const orgs = ['read:other', 'publish:secret.zoo.other.*']
    for (const scope of orgs) expect(await pages(await registry.key(scope)), scope).toEqual(before)
    for (const scope of ['admin', 'read:secret', 'publish:secret.*']) {
      const headers = await registry.key(scope)
      expect((await names('zephyrqx', headers))[0], scope).toBe('secret.zoo.cage.zephyrqx')
      expect(await names('zephyrqz', headers), scope).toEqual(
        expect.arrayContaining(['acme.zoo.cage.zephyrqa', 'secret.zoo.cage.zephyrqx']),
      )
    }
  })

  it('treats hostile text like any other', async () => {
    const texts = [
      "'",
      "\\' | !'@private' & '",
      "zebra' | '@private",
      '@private',
      '=readfile',
      ':*',
      '\u{1f600}'.repeat(40),
      `a${'\u{301}'.repeat(150)}`,
      'a'.repeat(200),
      'x\u{10ffff}\u{d7ff}',
      Array.from({ length: 60 }, (_, at) => `w${at}`).join(' '),
    ]
    for (const q of texts) {
      const response = await registry.fetch(`/mcp?${new URLSearchParams({ q })}`)
      expect([200, 400], q).toContain(response.status)
      expect(await response.text(), q).not.toContain('secret.')
    }
    const forged = (text: string) => Buffer.from(text).toString('base64url')
    for (const cursor of [
      '1:999999999:acme.files.disk.readFile',
      '9999999999:0:acme.files.disk.readFile',
      '1:0:secret.files.disk.readFile',
    ]) {
      const response = await registry.fetch(`/mcp?q=file&cursor=${forged(cursor)}`)
      expect(response.status, cursor).toBe(200)
      expect(await response.text()).not.toContain('secret.')
    }
    for (const cursor of [
      '1:-1:a.b.c.d',
      '1:1e3:a.b.c.d',
      '1:1:a.b.c',
      '1:1:a.b.c.d\0',
      `1:1:${'a'.repeat(300)}`,
    ])
      expect((await registry.fetch(`/mcp?q=file&cursor=${forged(cursor)}`)).status, cursor).toBe(400)
  })

  it('reflects changes of description, routing, visibility and retirement immediately', async () => {
    await put('acme.follow.it.now', { description: 'Walrus' })
    expect(await names('walrus')).toEqual(['acme.follow.it.now'])
    expect(await names('now')).toEqual(['acme.follow.it.now'])
    await put('acme.follow.it.now', { description: 'Narwhal', routing: 'server' })
    expect(await names('walrus')).toEqual([])
    expect(namesIn(await search('q=narwhal&routing=server&type=http'))).toEqual(['acme.follow.it.now'])
    expect(namesIn(await search('q=narwhal&routing=client'))).toEqual([])
    await put('acme.follow.it.now', { description: 'Narwhal', visibility: 'private' })
    expect(await names('narwhal')).toEqual([])
    await put('acme.follow.it.now', { description: 'Narwhal', visibility: 'public' })
    expect(await names('narwhal')).toEqual(['acme.follow.it.now'])
    await registry.fetch('/mcp/acme.follow.it.now', { method: 'DELETE', headers: admin })
    expect(await names('narwhal')).toEqual([])
    const [kept] = await registry.db.sql`select from catalog_entry where name = 'acme.follow.it.now'`
    expect(kept).toBeUndefined()
  })

  it.each([
    "'",
    '\\',
    "\\'",
    "a'b | !c",
    ':*',
    '(((',
    '&|!<->',
    "'x':*",
    '😀',
    'ß',
    '\u0300',
    'a\u0000'.slice(0, 1),
  ])('takes %j as text', async (q) => {
    expect((await registry.fetch(`/mcp?${new URLSearchParams({ q })}`)).status).toBe(200)
  })

  it('needs no Postgres extension', async () => {
    expect(await registry.db.sql`select extname from pg_extension`).toMatchObject([{ extname: 'plpgsql' }])
  })
})

describe('pages of a search', () => {
  it('return every match once, in the same order by page and by cursor', async () => {
    for (let index = 0; index < 23; index++)
      await put(`acme.paged.ns${index % 2}.otter_${String(index).padStart(2, '0')}`, {
        description: index % 3 ? 'An animal' : 'An otter, an animal',
      })
    const byPage: string[] = []
    for (let page = 1; page <= 5; page++)
      byPage.push(...namesIn(await search(`q=otter&limit=5&page=${page}`)))
    const byCursor: string[] = []
    let cursor: string | undefined
    do {
      const page: Page = await search(`q=otter&limit=5${cursor ? `&cursor=${cursor}` : ''}`)
      expect(page).toMatchObject({ total: 23, totalIsExact: true })
      byCursor.push(...namesIn(page))
      cursor = page.nextCursor
    } while (cursor)
    expect(new Set(byPage).size).toBe(23)
    expect(byCursor).toEqual(byPage)
  })

  it('have links, and end at the best 500', async () => {
    const response = await registry.fetch('/mcp?q=otter&limit=5&page=2')
    expect(response.headers.get('link')).toBe(
      '</mcp?q=otter&limit=5&page=3>; rel="next", </mcp?q=otter&limit=5&page=1>; rel="prev"',
    )
    expect(await search('q=otter&limit=100&page=5')).toMatchObject({ items: [], total: 23 })
    const refused = await registry.fetch('/mcp?q=otter&limit=100&page=6')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: 'invalid_query',
      parameter: 'page',
      message: expect.stringContaining('at most 5'),
    })
  })

  it('refuse the cursor of another list', async () => {
    const ofSearch = (await search('q=otter&limit=5')).nextCursor
    const ofList = (await search('limit=5')).nextCursor
    for (const query of [`cursor=${ofSearch}`, `q=otter&cursor=${ofList}`]) {
      const response = await registry.fetch(`/mcp?${query}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: 'invalid_query', parameter: 'cursor' })
    }
  })
})

describe('a registry with many entries', () => {
  const COUNT = 22_000

  beforeAll(async () => {
    await registry.db.sql.begin(async (sql) => {
      await sql`set local statement_timeout = 0`
      await sql`set local session_replication_role = replica`
      await sql`insert into mcp_name (name, source)
        select 'bulk.p.ns.tool_' || n, 'published' from generate_series(1, ${COUNT}::int) n`
      await sql`insert into catalog_entry (name, org, visibility, type, routing, tools, words)
        select name, org, 'public', 'deno', 'client', '{}',
          catalog_words(name, 'deno', 'client', 'public', '{}', name || ' a walnut that is everywhere')
        from mcp_name where org = 'bulk'`
    })
    await registry.db.sql`analyze catalog_entry`
  }, 300_000)

  it('marks an estimated total, and the estimate is close', async () => {
    for (const query of ['limit=5&routing=client', 'limit=5&type=deno', 'q=everywhere&limit=5']) {
      const { total, totalIsExact } = await search(query)
      expect(totalIsExact, query).toBe(false)
      expect(total / COUNT, query).toBeGreaterThan(0.5)
      expect(total / COUNT, query).toBeLessThan(2)
    }
  })

  it('ranks a bounded share of the entries with a very common word, the same each time', async () => {
    const found = async () => {
      const rows = await registry.db.sql<{ name: string }[]>`
        with narrow as materialized (select catalog_narrow('walnut', catalog_estimate('walnut')) as query)
        select name from catalog_entry, narrow where words @@ query order by name`
      return rows.map(({ name }) => name)
    }
    const first = await found()
    expect(first.length).toBeGreaterThan(600)
    expect(first.length).toBeLessThan(2400)
    expect(await found()).toEqual(first)
  })

  it('returns deep pages by number and by cursor', async () => {
    const { nextCursor } = await search('limit=100&page=200')
    expect(nextCursor).toBeDefined()
    const byCursor = await registry.fetch(`/mcp?limit=100&cursor=${nextCursor}`)
    expect(await byCursor.json()).toMatchObject({ page: 201 })
    expect(await search('limit=100&page=1000')).toMatchObject({ items: [] })
  })
})
