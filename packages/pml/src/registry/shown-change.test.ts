import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCatalog, type Catalog } from '../../test/catalog.ts'
import { readPinFile, startConfigured, type ConfiguredRegistry } from '../../test/configured-registry.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import type { IntegrityApprovalRequired, Pml } from '../index.ts'

let registry: ConfiguredRegistry
let catalog: Catalog
let workspace: TestWorkspace
let pml: Pml

beforeAll(async () => {
  registry = await startConfigured('memory')
  catalog = await openCatalog(registry)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  pml = await workspace.open()
})
afterEach(() => workspace.remove())

/** What is shown when the entry changes so. */
async function shownFor(name: string, change: () => Promise<unknown>): Promise<IntegrityApprovalRequired> {
  await pml.fetch(name)
  await change()
  return (await pml.fetch(name)) as IntegrityApprovalRequired
}

const stdio = (command: string, args: readonly string[], envRequired: readonly string[] = []) => ({
  type: 'stdio',
  description: 'A command',
  install: { command, args, envRequired },
  tools: ['shown:do'],
})
const http = (proxyTo: string, more: object = {}) => ({
  type: 'http',
  description: 'A server',
  proxyTo,
  envRequired: [],
  tools: ['shown:do'],
  ...more,
})

describe('what a person is shown of a change', () => {
  it('of code is its lines', async () => {
    const name = 'acme.tools.shown.code'
    await catalog.code(name, 'const a = 1\nconst b = 2\nexport default () => a + b\n')
    const { diff, change } = await shownFor(name, () =>
      catalog.code(name, 'const a = 1\nconst b = 3\nexport default () => a + b\n'),
    )
    expect(diff).toContain(' const a = 1\n-const b = 2\n+const b = 3\n export default () => a + b\n')
    expect(change.code).toMatchObject({ added: 1, removed: 1, isCut: false })
  })

  it('of code that hides something is what is hidden', async () => {
    const name = 'acme.tools.shown.hidden'
    await catalog.code(name, 'export default () => "ok"\n')
    const { diff, change } = await shownFor(name, () =>
      catalog.code(name, 'export default () => "o\u{200b}k\u{202e}"\n'),
    )
    expect(diff).toContain('+export default () => "o\\u{200b}k\\u{202e}"')
    expect(change.warnings.join()).toMatch(/2 invisible/)
  })

  it('of a command line and of what it needs is each part', async () => {
    const name = 'pml.mcp.shown.server'
    await catalog.document(name, stdio('uvx', ['thing', '--safe'], ['OLD_KEY']))
    const { diff, change } = await shownFor(name, () =>
      catalog.document(name, stdio('docker', ['thing', '--un\u{200b}safe'], ['OLD_KEY', 'NEW_KEY'])),
    )
    for (const part of ['uvx', 'docker', '--safe', '--un\\u{200b}safe', 'NEW_KEY'])
      expect(diff).toContain(part)
    const paths = change.fields.map(({ path }) => path)
    expect(paths).toContain('install.command')
    expect(paths.join()).toMatch(/install\.args/)
    expect(paths.join()).toMatch(/install\.envRequired/)
    expect(diff).not.toContain('\u{200b}')
  })

  it('of an address is both, and the routing', async () => {
    const name = 'pml.mcp.shownhttp.server'
    await catalog.document(name, http('https://good.example.org/mcp'))
    const { diff, change } = await shownFor(name, () =>
      catalog.document(
        name,
        http('https://evil.example.org/mcp', { envRequired: ['TOKEN'], routing: 'server' }),
      ),
    )
    for (const part of ['https://good.example.org/mcp', 'https://evil.example.org/mcp', 'TOKEN', 'server'])
      expect(diff).toContain(part)
    expect(change.fields).toContainEqual({
      path: 'proxyTo',
      before: 'https://good.example.org/mcp',
      after: 'https://evil.example.org/mcp',
    })
  })

  it('of an entry that becomes another kind is the kind', async () => {
    const name = 'acme.tools.shown.kind'
    await catalog.code(name, 'export default () => 1\n')
    const { diff, type } = await shownFor(name, () => catalog.document(name, stdio('uvx', ['thing'])))
    expect(type).toBe('stdio')
    expect(diff).toMatch(/deno/)
    expect(diff).toMatch(/stdio/)
  })

  it('of a pinned tree is which packages came, went, moved, and run scripts', async () => {
    const name = 'pml.mcp.memory.server'
    const pin = await readPinFile('memory')
    const { packages } = pin.lock
    const { ['node_modules/vary']: vary, ['node_modules/cors']: cors } = packages
    expect(vary).toBeDefined()
    delete packages['node_modules/vary']
    packages['node_modules/cors'] = { ...cors, version: '99.0.0' }
    packages['node_modules/left-behind'] = { ...vary, version: '6.6.6', hasInstallScript: true }
    const approval = await shownFor(name, () => registry.writePin('memory', pin))
    expect(approval).toMatchObject({ approvalType: 'integrity', type: 'stdio' })
    const { diff, change } = approval
    expect(change.packages).toMatchObject({
      added: [expect.objectContaining({ after: '6.6.6' })],
      removed: [expect.objectContaining({ before: vary?.['version'] })],
      bumped: [expect.objectContaining({ before: cors?.['version'], after: '99.0.0' })],
    })
    for (const part of ['left-behind', '6.6.6', 'vary', 'cors', '99.0.0']) expect(diff).toContain(part)
    expect(diff).toMatch(/install script/i)
    await registry.reset('memory')
  })

  it('has the old content from the registry when the cache has lost it', async () => {
    const name = 'acme.tools.shown.lost'
    await catalog.code(name, 'export default () => "old"\n')
    await pml.fetch(name)
    await workspace.run(['cache', 'clean'])
    await catalog.code(name, 'export default () => "new"\n')
    const { diff } = (await pml.fetch(name)) as IntegrityApprovalRequired
    expect(diff).toContain('-export default () => "old"\n+export default () => "new"')
  })
})
