import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readFolder } from '../../test/read-folder.ts'
import { entries, startSmallCatalog, type SmallCatalog } from '../../test/small-catalog.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const [ONE, OTHER] = ['acme.tools.text.echo', 'umbrella.tools.text.echo']

let catalog: SmallCatalog
let workspace: TestWorkspace

beforeAll(async () => {
  catalog = await startSmallCatalog()
  await catalog.publish(ONE, 'export default () => 1\n')
  await catalog.publish(OTHER, 'export default () => 2\n')
})
afterAll(() => catalog.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(catalog.registry.url)
})
afterEach(() => workspace.remove())

async function run(argv: readonly string[]) {
  const { exit, stdout } = await workspace.run([...argv, '--json'])
  return { exit, ...(JSON.parse(stdout) as Record<string, unknown>) }
}

describe('a tool that two entries offer', () => {
  it('is an error that lists both and says how to choose', async () => {
    for (const argv of [
      ['fetch', 'text:echo'],
      ['run', 'text:echo'],
      ['add', 'text:echo'],
    ]) {
      const outcome = await run(argv)
      expect(outcome).toMatchObject({ exit: 2, error: 'ambiguous_tool', candidates: [ONE, OTHER] })
      expect(outcome).toHaveProperty('message', expect.stringContaining(`${ONE}, ${OTHER}`))
      expect(outcome).toHaveProperty('message', expect.stringContaining('run "pml add" with one of these'))
    }
    expect(await readFolder(workspace.root)).toEqual({})
  })

  it('is the one that is locked', async () => {
    await run(['fetch', OTHER])
    expect(await run(['fetch', 'text:echo'])).toMatchObject({ exit: 0, name: OTHER, lock: 'same' })
  })

  it('is ambiguous again when both are locked', async () => {
    await run(['fetch', OTHER])
    await run(['fetch', ONE])
    expect(await run(['fetch', 'text:echo'])).toMatchObject({ exit: 2, candidates: [ONE, OTHER] })
  })

  it('is no question for those who write the whole name', async () => {
    expect(await run(['fetch', ONE])).toMatchObject({ exit: 0, name: ONE })
  })
})

describe('a reference', () => {
  it('of one word is a server', async () => {
    expect(await run(['fetch', 'memory'])).toMatchObject({ exit: 0, name: entries.stdio, type: 'stdio' })
  })

  it('to a tool of a server is that server, locked or not', async () => {
    for (const lock of ['added', 'same'])
      expect(await run(['fetch', 'memory:read_graph'])).toMatchObject({ exit: 0, name: entries.stdio, lock })
    expect(await run(['fetch', 'search:find'])).toMatchObject({ exit: 0, name: entries.http })
  })

  it.each([
    'nothing',
    'no:thing',
    'memory:no_such_tool',
    'acme.tools.text.nothing',
    'acme.tools.text.nothing.abcd',
  ])('of something that does not exist is not_found: %s', async (reference) => {
    expect(await run(['fetch', reference])).toMatchObject({ exit: 1, error: 'not_found' })
    expect(await readFolder(workspace.root)).toEqual({})
  })

  it.each([
    'acme.tools.text',
    'acme.tools.text.shout.abcd.ef',
    'acme.tools..shout',
    'acme.tools.te xt.shout',
    '../../etc/passwd',
    'acme.tools.text.shout/../../keys',
    'acme.tools.text.shout?x=1',
    'text:',
    ':shout',
    'a:b:c',
    '1word',
    'wörd',
    'text:shout\n',
    `${'a'.repeat(65)}.b.c.d`,
  ])('that no entry can have is invalid_fqdn, and is not sent: %j', async (reference) => {
    const workspace = await makeWorkspace(catalog.proxy.url)
    const before = catalog.proxy.seen.length
    const { exit, stdout } = await workspace.run(['fetch', reference, '--json'])
    expect({ exit, ...JSON.parse(stdout) }).toMatchObject({ exit: 2, error: 'invalid_fqdn' })
    expect(catalog.proxy.seen).toHaveLength(before)
    await workspace.remove()
  })

  it('with a hash that is not current is hash_mismatch, with the one that is', async () => {
    const currentFqdn = await catalog.currentFqdn(entries.deno)
    for (const hash of ['0000', 'xxxx', '0', currentFqdn.slice(-4).toUpperCase() + '-'])
      expect(await run(['fetch', `${entries.deno}.${hash}`])).toMatchObject({
        exit: 4,
        error: 'hash_mismatch',
        currentFqdn,
      })
    expect(await readFolder(workspace.root)).toEqual({})
  })

  it('with all of the hash is that release', async () => {
    const { integrity } = (await run(['fetch', entries.deno])) as unknown as { integrity: string }
    const whole = `${entries.deno}.${integrity.slice('sha256-'.length)}`
    expect(await run(['fetch', whole])).toMatchObject({ exit: 0, lock: 'same' })
    const wrong = whole.slice(0, -1) + (whole.endsWith('0') ? '1' : '0')
    expect(await run(['fetch', wrong])).toMatchObject({ exit: 4, error: 'hash_mismatch' })
  })
})
