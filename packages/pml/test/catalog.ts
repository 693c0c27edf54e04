import type { TestRegistry } from '../../../apps/server/test/registry.ts'

/** A publisher at a registry. Both methods return the FQDN of the current release. */
export interface Catalog {
  code(name: string, source: string): Promise<string>
  document(name: string, document: object): Promise<string>
  /** An unpinned server with this command line. */
  command(server: string, command: readonly string[], more?: CommandOptions): Promise<string>
}

export interface CommandOptions {
  readonly tools?: readonly string[]
  readonly envRequired?: readonly string[]
}

export async function openCatalog(registry: TestRegistry): Promise<Catalog> {
  const key = await registry.key('admin')
  const put = async (name: string, body: string, headers: Record<string, string>) => {
    const response = await registry.fetch(`/mcp/${name}`, {
      method: 'PUT',
      headers: { ...key, ...headers },
      body,
    })
    const answer = (await response.json()) as { fqdn?: string }
    if (answer.fqdn === undefined) throw new Error(`${name} was not published: ${JSON.stringify(answer)}`)
    return answer.fqdn
  }
  const document: Catalog['document'] = (name, value) =>
    put(name, JSON.stringify(value), { 'content-type': 'application/json' })
  return {
    code: (name, source) => put(name, source, { 'content-type': 'application/typescript' }),
    document,
    command: (server, [command, ...args], { tools = ['echo'], envRequired = [] } = {}) =>
      document(`pml.mcp.${server}.server`, {
        type: 'stdio',
        description: 'A command',
        install: { command, args, envRequired },
        tools: tools.map((tool) => `${server}:${tool}`),
      }),
  }
}
