import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startEverything, type RunningServer } from '../../../../apps/server/test/proxy/mcp-servers.ts'
import { startProxiedRegistry } from '../../../../apps/server/test/proxy/proxied-registry.ts'
import type { TestRegistry } from '../../../../apps/server/test/registry.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

let everything: RunningServer
let registry: TestRegistry
let workspace: TestWorkspace

beforeAll(async () => {
  everything = await startEverything()
  const { url } = everything
  registry = await startProxiedRegistry({ behind: { url }, direct: { url } }, { client: ['direct'] })
})
afterAll(() => Promise.all([registry.stop(), everything.stop()]))
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  await workspace.writeConfig({ permissions: { allow: ['*'] } })
})
afterEach(() => workspace.remove())

const echoed = { result: 'Echo: hello', content: [{ type: 'text', text: 'Echo: hello' }] }

async function keyWith(scope: string): Promise<string> {
  return (await registry.key(scope)).Authorization.replace('Bearer ', '')
}

describe('a remote server', () => {
  it('is called straight away where its routing is client, without a key', async () => {
    const pml = await workspace.open()
    expect(await pml.call('direct:echo', { message: 'hello' })).toMatchObject({
      tool: 'direct:echo',
      ...echoed,
    })
  })

  it('is called through the registry where its routing is server', async () => {
    const pml = await workspace.open({ apiKey: await keyWith('proxy:pml.mcp.behind') })
    const called = await pml.call('behind:echo', { message: 'hello' })
    expect(called).toMatchObject({ fqdn: expect.stringMatching(/^pml\.mcp\.behind\.server\./), ...echoed })
  })

  it('is not called through the registry without a key, or with one for others', async () => {
    const nobody = await workspace.open()
    await expect(nobody.call('behind:echo', { message: 'x' })).rejects.toMatchObject({ code: 'unauthorized' })
    const other = await workspace.open({ apiKey: await keyWith('proxy:pml.mcp.other') })
    await expect(other.call('behind:echo', { message: 'x' })).rejects.toThrow('proxy:')
  })
})
