import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../apps/server/test/registry.ts'

const realConfig = fileURLToPath(new URL('../../../config/', import.meta.url))

type Json = Record<string, unknown>

/** The content of a pin file, to be changed and written again. */
export interface PinFile extends Json {
  version: string
  package: string
  spec: string
  bin: string
  lock: { packages: Record<string, Json> }
}

/** A registry with servers of the real configuration and their real pins. */
export interface ConfiguredRegistry extends TestRegistry {
  /** Writes the file and waits until the registry serves its content. */
  writeServer(server: string, entry: Json): Promise<void>
  writePin(server: string, pin: PinFile): Promise<void>
  /** Restores the original files. */
  reset(server: string): Promise<void>
}

export async function readPinFile(server: string): Promise<PinFile> {
  return JSON.parse(await readFile(join(realConfig, 'pins', `${server}.json`), 'utf8')) as PinFile
}

export async function startConfigured(...names: readonly string[]): Promise<ConfiguredRegistry> {
  const { mcpServers } = JSON.parse(await readFile(join(realConfig, 'mcp-servers.json'), 'utf8')) as {
    mcpServers: Record<string, Json>
  }
  const configDir = await mkdtemp(join(tmpdir(), 'pml-config-'))
  await mkdir(join(configDir, 'pins'))
  const servers = Object.fromEntries(names.map((name) => [name, mcpServers[name] ?? {}]))
  const writeServers = () =>
    writeFile(join(configDir, 'mcp-servers.json'), JSON.stringify({ mcpServers: servers }))
  const writePinFile = (server: string, pin: PinFile) =>
    writeFile(join(configDir, 'pins', `${server}.json`), JSON.stringify(pin))
  for (const name of names) await writePinFile(name, await readPinFile(name))
  await writeServers()
  const registry = await startRegistry({ configDir })

  const current = async (server: string) => {
    const response = await registry.fetch(`/mcp/pml.mcp.${server}.server`)
    return response.headers.get('location')
  }
  const untilChanged = async (server: string, change: () => Promise<void>) => {
    const before = await current(server)
    await change()
    await expect.poll(() => current(server), { timeout: 20_000 }).not.toBe(before)
  }
  const writeServer = (server: string, entry: Json) => {
    servers[server] = entry
    return untilChanged(server, writeServers)
  }
  return {
    ...registry,
    writeServer,
    writePin: (server, pin) => untilChanged(server, () => writePinFile(server, pin)),
    reset: async (server) => {
      servers[server] = mcpServers[server] ?? {}
      await untilChanged(server, async () => {
        await writePinFile(server, await readPinFile(server))
        await writeServers()
      })
    },
    stop: async () => {
      await registry.stop()
      await rm(configDir, { recursive: true })
    },
  }
}
