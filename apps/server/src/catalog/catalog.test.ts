import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

interface Page {
  readonly items: { fqdn: string; type: string; routing: string; description: string }[]
  readonly total: number
  readonly page: number
  readonly limit: number
  readonly nextCursor?: string
}

let registry: TestRegistry
let admin: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  admin = await registry.key('admin')
  for (let index = 0; index < 120; index++) {
    const name = `acme.list.ns${index % 3}.tool_${String(index).padStart(3, '0')}`
    await put(
      `${name}?routing=${index % 2 ? 'client' : 'server'}&description=Tool%20number%20${index}`,
      `export default ${index}\n`,
    )
  }
  const http = {
    type: 'http',
    description: 'Searches the Web',
    proxyTo: 'https://example.org/mcp',
    tools: ['web:search', 'web:crawl'],
  }
  await put('pml.mcp.web.server', JSON.stringify(http), 'application/json')
  const stdio = {
    type: 'stdio',
    description: '100% local_notes',
    install: { command: 'uvx', args: ['notes'] },
    tools: ['notes:add'],
  }
  await put('pml.mcp.notes.server', JSON.stringify(stdio), 'application/json')
})
afterAll(() => registry.stop())

async function put(path: string, body: string, type = 'application/typescript') {
  const response = await registry.fetch(`/mcp/${path}`, {
    method: 'PUT',
    body,
    headers: { ...admin, 'Content-Type': type },
  })
  expect(response.status, await response.text()).toBe(201)
}

async function list(query: string, headers: Record<string, string> = {}): Promise<Page> {
  const response = await registry.fetch(`/mcp${query}`, { headers })
  expect(response.status, await response.clone().text()).toBe(200)
  return (await response.json()) as Page
}

const names = (page: Page) => page.items.map(({ fqdn }) => fqdn.replace(/\.[0-9a-f]+$/, ''))

describe('GET /mcp', () => {
  it('lists 50 entries a page by default, sorted by name, with their FQDN', async () => {
    const page = await list('')
    expect(page).toMatchObject({ total: 122, page: 1, limit: 50 })
    expect(page.items).toHaveLength(50)
    expect(names(page)).toEqual(names(page).toSorted())
    expect(page.items[0]).toEqual({
      fqdn: expect.stringMatching(/^acme\.list\.ns0\.tool_000\.[0-9a-f]{4}$/),
      type: 'deno',
      routing: 'server',
      description: 'Tool number 0',
    })
  })

  it('returns each entry once over all pages, by page and by cursor', async () => {
    const byPage: string[] = []
    for (let page = 1; page <= 13; page++) byPage.push(...names(await list(`?limit=10&page=${page}`)))
    const byCursor: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page: Page = await list(`?limit=10${cursor ? `&cursor=${cursor}` : ''}`)
      expect(page).toMatchObject({ page: ++pages, total: 122 })
      byCursor.push(...names(page))
      cursor = page.nextCursor
    } while (cursor)
    expect(new Set(byPage).size).toBe(122)
    expect(byCursor).toEqual(byPage)
    expect(pages).toBe(13)
  })

  it('filters before it counts and pages', async () => {
    expect(await list('?type=http')).toMatchObject({ total: 1, items: [{ type: 'http' }] })
    expect(await list('?type=stdio')).toMatchObject({ total: 1, items: [{ type: 'stdio' }] })
    const server = await list('?routing=server&limit=7&page=2')
    expect(server.total).toBe(60)
    expect(server.items).toHaveLength(7)
    expect(server.items.every(({ routing }) => routing === 'server')).toBe(true)
    expect(await list('?type=stdio&routing=server')).toMatchObject({ total: 0, items: [], page: 1 })
  })

  it('finds the entries that offer a tool', async () => {
    expect(names(await list('?tool=web:crawl'))).toEqual(['pml.mcp.web.server'])
    expect(names(await list('?tool=ns1:tool_001'))).toEqual(['acme.list.ns1.tool_001'])
    expect((await list('?tool=web:nothing')).total).toBe(0)
  })

  it('searches words in name, description and tools, ignoring case and without wildcards', async () => {
    expect(names(await list('?q=THE%20web'))).toEqual(['pml.mcp.web.server'])
    expect(names(await list('?q=100%25%20local_'))).toEqual(['pml.mcp.notes.server'])
    expect((await list('?q=l_cal')).total).toBe(0)
    expect((await list('?q=1%25l')).total).toBe(0)
    expect((await list(`?q=${encodeURIComponent("' or 1=1 --")}`)).total).toBe(0)
    expect((await list('?q=number%20118')).total).toBe(1)
  })

  it('links to the next and the previous page', async () => {
    const link = async (query: string) => (await registry.fetch(`/mcp${query}`)).headers.get('link')
    expect(await link('?type=deno&limit=50')).toBe('</mcp?type=deno&limit=50&page=2>; rel="next"')
    expect(await link('?limit=50&page=3')).toBe('</mcp?limit=50&page=2>; rel="prev"')
    expect(await link('?limit=50&page=2')).toBe(
      '</mcp?limit=50&page=3>; rel="next", </mcp?limit=50&page=1>; rel="prev"',
    )
    expect(await link('?type=http')).toBeNull()
    const { nextCursor } = await list('?limit=50')
    expect(await link(`?limit=50&cursor=${nextCursor}`)).toMatch(
      /^<\/mcp\?limit=50&cursor=[\w-]+>; rel="next", <\/mcp\?limit=50&page=1>; rel="prev"$/,
    )
  })

  it('returns an empty page past the end', async () => {
    for (const page of ['4', '1000000', '1000000000']) {
      expect(await list(`?page=${page}`)).toMatchObject({ items: [], total: 122, page: Number(page) })
    }
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['page=0', 'page'],
    ['page=abc', 'page'],
    ['page=1e9', 'page'],
    ['page=0x10', 'page'],
    ['page=99999999999', 'page'],
    ['page=1&page=2', 'page'],
    ['type=npm', 'type'],
    ['type=', 'type'],
    ['routing=cloud', 'routing'],
    ['tool=nocolon', 'tool'],
    ['q=', 'q'],
    ['q=%00', 'q'],
    ['q=a%00b', 'q'],
    [`q=${'x'.repeat(201)}`, 'q'],
    ['cursor=not-a-cursor', 'cursor'],
    ['cursor=', 'cursor'],
    [`cursor=${Buffer.from('1:../../x').toString('base64url')}`, 'cursor'],
    ['cursor=MTphLmIuYy5k&page=2', 'cursor'],
    ['tpye=stdio', 'tpye'],
  ])('refuses ?%s and names the parameter', async (query, parameter) => {
    const response = await registry.fetch(`/mcp?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: 'invalid_query',
      parameter,
      message: expect.stringContaining(`'${parameter}'`),
    })
  })

  it('has an ETag that is valid until something changes', async () => {
    const first = await registry.fetch('/mcp?limit=5')
    const condition = { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } }
    expect(first.headers.get('cache-control')).toBe('public, no-cache')
    expect((await registry.fetch('/mcp?limit=5', condition)).status).toBe(304)
    await put('aaaa.list.comes.first', 'export default 1\n')
    expect((await registry.fetch('/mcp?limit=5', condition)).status).toBe(200)
    expect(names(await list('?limit=1'))).toEqual(['aaaa.list.comes.first'])
  })
})
