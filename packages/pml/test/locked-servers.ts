import { cpSync, mkdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRegistry } from '../../../apps/server/test/registry.ts'
import { openCatalog } from './catalog.ts'
import { readPinFile } from './configured-registry.ts'
import { hookedProject, type HookedProject } from './hook-place.ts'
import { makeWorkspace } from './test-workspace.ts'

/** Servers of a real registry, locked and cached by a real client. */
export interface LockedServers {
  readonly registryUrl: string
  readonly fqdns: Readonly<Record<string, string>>
  /** Versions that are pinned. */
  readonly versions: Readonly<Record<'filesystem' | 'tavily', string>>
  /** Creates a project with this lockfile and the cached content. */
  project(): HookedProject
  remove(): Promise<void>
}

const realServers = fileURLToPath(new URL('../../../config/mcp-servers.json', import.meta.url))

export async function lockServers(): Promise<LockedServers> {
  const { mcpServers } = JSON.parse(await readFile(realServers, 'utf8'))
  const configDir = await mkdtemp(join(tmpdir(), 'pml-locked-'))
  await mkdir(join(configDir, 'pins'))
  const pins = { filesystem: await readPinFile('filesystem'), tavily: await readPinFile('tavily') }
  const { filesystem, tavily } = mcpServers
  const servers = { filesystem, tavily, behind: { url: 'https://behind.example.com/mcp' } }
  const texts = {
    'mcp-servers.json': { mcpServers: servers },
    'mcp-routing.json': { server: ['behind'], default: 'client' },
    'pins/filesystem.json': pins.filesystem,
    'pins/tavily.json': pins.tavily,
  }
  for (const [name, value] of Object.entries(texts))
    await writeFile(join(configDir, name), JSON.stringify(value))
  const registry = await startRegistry({ configDir })
  const catalog = await openCatalog(registry)
  await catalog.command('script', ['node', 'server.mjs', '--token', '${TOKEN}', '${PLACE}'], {
    envRequired: ['TOKEN', 'PLACE'],
  })
  await catalog.command('line', ['sh', '-c', 'server --token ${TOKEN} ${1:-x}'], { envRequired: ['TOKEN'] })
  for (const [server, proxyTo] of [
    ['web', 'https://web.example.com/mcp'],
    ['region', 'https://${REGION}.example.com/mcp?key=${KEY}'],
  ] as const)
    await catalog.document(`pml.mcp.${server}.server`, {
      type: 'http',
      description: 'On the web',
      proxyTo,
      envRequired: server === 'web' ? [] : ['KEY', 'REGION'],
      tools: [`${server}:shout`],
    })
  await catalog.code('pml.mcp.module.server', 'export default () => 1\n')

  const workspace = await makeWorkspace(registry.url)
  await workspace.writeConfig({ permissions: { allow: ['*'] } })
  const pml = await workspace.open()
  const fqdns: Record<string, string> = {}
  for (const server of ['filesystem', 'tavily', 'behind', 'script', 'line', 'web', 'region', 'module']) {
    const fetched = await pml.fetch(`pml.mcp.${server}.server`)
    if (fetched.approvalRequired) throw new Error(`${server} was not locked`)
    fqdns[server] = fetched.fqdn
  }
  return {
    registryUrl: registry.url,
    fqdns,
    versions: { filesystem: pins.filesystem.version, tavily: pins.tavily.version },
    project: () => {
      const project = hookedProject()
      mkdirSync(join(project.root, '.pml'))
      cpSync(join(workspace.root, '.pml', 'mcp.lock'), join(project.root, '.pml', 'mcp.lock'))
      cpSync(workspace.cacheDir, project.cache, { recursive: true })
      return project
    },
    remove: async () => {
      await workspace.remove()
      await registry.stop()
      await rm(configDir, { recursive: true })
    },
  }
}
