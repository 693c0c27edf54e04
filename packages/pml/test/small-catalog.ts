import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRegistry, type TestRegistry } from '../../../apps/server/test/registry.ts'
import { startTamperingProxy, type TamperingProxy } from './tampering-proxy.ts'

const memoryPin = fileURLToPath(new URL('../../../config/pins/memory.json', import.meta.url))

const servers = {
  memory: {
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-memory'],
    description: 'Remembers',
  },
  search: { url: 'https://search.example.org/mcp', description: 'Searches', tools: ['find'] },
}

/** One entry of each type. */
export const entries = {
  deno: 'acme.tools.text.shout',
  stdio: 'pml.mcp.memory.server',
  http: 'pml.mcp.search.server',
} as const
export type EntryType = keyof typeof entries

/** A real registry with an entry of each type, and a proxy between it and pml. */
export interface SmallCatalog {
  readonly registry: TestRegistry
  readonly proxy: TamperingProxy
  /** Publishes TypeScript as a new release and returns its FQDN. */
  publish(name: string, code: string): Promise<string>
  retire(name: string): Promise<void>
  /** Sends a request to the registry without the proxy. */
  currentFqdn(name: string): Promise<string>
  stop(): Promise<void>
}

export async function startSmallCatalog(): Promise<SmallCatalog> {
  const configDir = await mkdtemp(join(tmpdir(), 'pml-catalog-'))
  await mkdir(join(configDir, 'pins'))
  await copyFile(memoryPin, join(configDir, 'pins', 'memory.json'))
  await writeFile(join(configDir, 'mcp-servers.json'), JSON.stringify({ mcpServers: servers }, null, 2))
  const registry = await startRegistry({ configDir })
  const headers = await registry.key('admin')
  const proxy = await startTamperingProxy(registry.url)
  const publish = async (name: string, body: string) => {
    const response = await registry.fetch(`/mcp/${name}`, { method: 'PUT', headers, body })
    return ((await response.json()) as { fqdn: string }).fqdn
  }
  await publish(entries.deno, 'export default () => "loud"\n')
  return {
    registry,
    proxy,
    publish,
    retire: async (name) => void (await registry.fetch(`/mcp/${name}`, { method: 'DELETE', headers })),
    currentFqdn: async (name) => {
      const { headers: said } = await registry.fetch(`/mcp/${name}`)
      return said.get('location')?.split('/').at(-1) ?? ''
    },
    stop: async () => {
      await proxy.stop()
      await registry.stop()
      await rm(configDir, { recursive: true })
    },
  }
}
