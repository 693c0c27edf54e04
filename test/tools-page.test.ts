import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rootDir, serverDir } from '../apps/server/test/paths.ts'
import { startRegistry, type TestRegistry } from '../apps/server/test/registry.ts'
import { loadRegistryTools } from '../apps/server/src/registry-tools.ts'
import { installPml, type InstalledPml } from '../packages/pml/test/pml-process.ts'

const args = { text: 'ha', times: 3 }
const output = { text: 'hahaha' }

let folder: string
let page: string
let registry: TestRegistry
let pml: InstalledPml

/** The file of docs/tools.md, in the folder for new tools, for this test only. */
beforeAll(async () => {
  page = await readFile(join(rootDir, 'docs', 'tools.md'), 'utf8')
  const [, file = '', code = ''] = /```ts\n\/\/ apps\/server\/src\/tools\/(\S+)\n([^]*?)```/.exec(page) ?? []
  folder = await mkdtemp(join(serverDir, 'test', 'tools-'))
  await writeFile(join(folder, file), code)
  registry = await startRegistry({ toolsDir: folder })
  pml = await installPml(await loadRegistryTools(folder))
})
afterAll(async () => {
  await pml.remove()
  await registry.stop()
  await rm(folder, { recursive: true })
})

it('adds a tool that HTTP offers', async () => {
  const [, body = ''] = /curl -d '([^']*)'/.exec(page) ?? []
  const headers = { 'Content-Type': 'application/json' }
  const response = await registry.fetch('/tools/note_echo', { method: 'POST', headers, body })
  expect([response.status, await response.json()]).toEqual([200, output])
})

it('adds a tool that MCP offers', async () => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', registry.url)))
  expect((await client.listTools()).tools).toMatchObject([{ name: 'note_echo' }])
  const { structuredContent } = await client.callTool({ name: 'note_echo', arguments: args })
  await client.close()
  expect(structuredContent).toEqual(output)
})

it('adds a command', async () => {
  const [, words = ''] = /^npx --no pml (note .*)$/m.exec(page) ?? []
  const env = { PML_REGISTRY_URL: registry.url }
  expect(await pml.run([...words.split(' '), '--json'], { env })).toEqual({
    exit: 0,
    stdout: `${JSON.stringify(output)}\n`,
    stderr: '',
  })
  expect((await pml.run(['note'], { env })).stdout).toContain('Repeats a text.')
})
