import type { TestRegistry } from '../../../apps/server/test/registry.ts'

/** Publishes modules at a registry. */
export interface Publisher {
  /** Returns the FQDN of the new release. */
  publish(name: string, code: string): Promise<string>
  retire(name: string): Promise<void>
}

export async function openPublisher(registry: TestRegistry): Promise<Publisher> {
  const headers = await registry.key('admin')
  const send = async (method: string, name: string, body?: string) => {
    const response = await registry.fetch(`/mcp/${name}`, { method, headers, ...(body && { body }) })
    if (!response.ok) throw new Error(`${method} ${name}: ${response.status} ${await response.text()}`)
    return response
  }
  return {
    publish: async (name, code) => ((await (await send('PUT', name, code)).json()) as { fqdn: string }).fqdn,
    retire: async (name) => void (await send('DELETE', name)),
  }
}

/** A module that returns a text. */
export const saying = (word: string) => `export default () => ${JSON.stringify(word)}\n`
