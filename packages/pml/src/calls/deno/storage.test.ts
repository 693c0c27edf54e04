import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { openCatalog, type Catalog } from '../../../test/catalog.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { Called } from '../../index.ts'

const SECRET = 'carried-from-one-to-the-other'

/** Tries every store that Deno knows, in the module itself and in a worker, and gives what it found or why it failed. */
const stores = (id: string) => `// ${id}
const attempts = {
  localStorage: () => {
    const found = localStorage.getItem('key')
    localStorage.setItem('key', '${SECRET}')
    return found
  },
  caches: async () => {
    const cache = await caches.open('store')
    const found = await (await cache.match('http://store/'))?.text()
    await cache.put('http://store/', new Response('${SECRET}'))
    return found ?? null
  },
  openKv: async () => {
    const kv = await (Deno as any).openKv()
    const { value } = await kv.get(['key'])
    await kv.set(['key'], '${SECRET}')
    return value
  },
  indexedDB: () => (globalThis as any).indexedDB.open('store'),
  sessionStorage: () => {
    const found = sessionStorage.getItem('key')
    sessionStorage.setItem('key', '${SECRET}')
    return found
  },
}
const inWorker = \`
  const found = []
  try { found.push(localStorage.getItem('key')); localStorage.setItem('key', '${SECRET}') } catch (error) { found.push('refused') }
  try {
    const cache = await caches.open('store')
    found.push(await (await cache.match('http://store/'))?.text())
    await cache.put('http://store/', new Response('${SECRET}'))
  } catch (error) { found.push('refused') }
  postMessage(found)\`
export default async () => {
  const found: Record<string, unknown> = {}
  for (const [name, attempt] of Object.entries(attempts))
    try { found[name] = await attempt() } catch { found[name] = 'refused' }
  const worker = new Worker('data:application/javascript,' + encodeURIComponent(inWorker), { type: 'module' })
  found.worker = await new Promise((done) => { worker.onmessage = ({ data }) => done(data) })
  worker.terminate()
  return found
}
`
const nothing = {
  localStorage: 'refused',
  caches: 'refused',
  openKv: 'refused',
  indexedDB: 'refused',
  sessionStorage: null,
  worker: ['refused', 'refused'],
}

let registry: TestRegistry
let catalog: Catalog
let workspace: TestWorkspace
let other: TestWorkspace

beforeAll(async () => {
  registry = await startRegistry()
  catalog = await openCatalog(registry)
  for (const id of ['one', 'two']) await catalog.code(`acme.tools.${id}.run`, stores(id))
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  other = await makeWorkspace(registry.url)
  // One user, two workspaces.
  other.env['PML_CACHE_DIR'] = workspace.cacheDir
  for (const each of [workspace, other]) await each.writeConfig({ permissions: { allow: ['*'] } })
})
afterEach(async () => {
  await workspace.remove()
  await other.remove()
})

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

describe('what modules store', () => {
  it('reaches no other module, no other workspace and no later run, through the library and the command', async () => {
    const pml = await workspace.open()
    for (const tool of ['one:run', 'two:run', 'one:run'])
      expect(((await pml.call(tool)) as Called).result).toEqual(nothing)
    for (const each of [workspace, other])
      for (const tool of ['two:run', 'one:run']) {
        const { stdout, exit } = await each.run(['run', tool, '--json'])
        expect([exit, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ result: nothing })])
      }
  })

  it('is not on disk afterwards, and neither is what Deno compiled', async () => {
    expect((await workspace.run(['run', 'one:run', '--json'])).exit).toBe(0)
    expect(await readdir(join(workspace.cacheDir, 'deno'))).toEqual([])
    // The module itself is cached content, and names the text.
    const code = stores('one')
    for (const file of await filesIn(workspace.cacheDir)) {
      const text = await readFile(file, 'utf8')
      if (text !== code) expect(text).not.toContain(SECRET)
    }
  })

  it('leaves nothing when the module fails, takes too long or fills the disk with code', async () => {
    const bodies = {
      fails: 'throw new Error("no")',
      hangs: 'for (;;);',
      fills: `for (let i = 0; i < 5; i++) {
        const code = 'const a: string = "' + 'z'.repeat(200_000) + i + '"; postMessage(a.length)'
        const worker = new Worker('data:application/typescript,' + encodeURIComponent(code), { type: 'module' })
        await new Promise((done) => { worker.onmessage = done })
        worker.terminate()
      }`,
    }
    for (const [id, body] of Object.entries(bodies)) {
      await catalog.code(`acme.tools.${id}.run`, `export default async () => { ${body} }\n`)
      await workspace.run(['run', `${id}:run`, '--timeout-ms', '2000'])
      expect(await readdir(join(workspace.cacheDir, 'deno'))).toEqual([])
    }
  })

  it('of an older version or a killed run is counted and cleaned', async () => {
    const old = join(workspace.cacheDir, 'deno', 'location_data', 'abc')
    await mkdir(old, { recursive: true })
    await writeFile(join(old, 'local_storage'), Buffer.alloc(1000))
    await mkdir(join(workspace.cacheDir, 'deno', 'run-killed'))
    const size = await workspace.run(['cache', 'size', '--json'])
    expect(JSON.parse(size.stdout)).toMatchObject({ items: 2, sizeBytes: 1000 })
    expect((await workspace.run(['cache', 'clean'])).exit).toBe(0)
    await expect(lstat(old)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
