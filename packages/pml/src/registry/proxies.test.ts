import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeRelease, startFakeRegistry } from '../../test/fake-registry.ts'
import { startForwardProxy, type ForwardProxy } from '../../test/forward-proxy.ts'
import type { Peer } from '../../test/peer.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const KEY = 'pml_abc_s3cr3t'
const AWAY = 'http://registry.example'
const release = fakeRelease('acme.tools.text.shout', 'export default () => "loud"\n')
const { name, fqdn, headers, bytes } = release
const fetchName = ['fetch', name, '--json']

let registry: Peer
let proxy: ForwardProxy
let workspace: TestWorkspace

beforeAll(async () => {
  registry = await startFakeRegistry(release, (response) => void response.writeHead(200, headers).end(bytes))
  proxy = await startForwardProxy({ 'registry.example:80': registry.url })
})
afterAll(async () => {
  await proxy.stop()
  await registry.stop()
})
beforeEach(async () => {
  workspace = await makeWorkspace(AWAY)
  Object.assign(workspace.env, { PML_TIMEOUT_MS: '15000', PML_API_KEY: KEY })
})
afterEach(async () => {
  proxy.targets.length = 0
  registry.seen.length = 0
  await workspace.remove()
})

const keysSeen = () => new Set(registry.seen.map((seen) => seen.headers.authorization))

describe('a proxy', () => {
  it.each(['HTTP_PROXY', 'http_proxy'])('that %s names is used', async (variable) => {
    const env = { [variable]: proxy.url }
    const { exit, stdout } = await workspace.run([...fetchName, '--insecure-http'], { env })
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ fqdn, lock: 'added' })
    expect(new Set(proxy.targets)).toEqual(new Set(['registry.example:80']))
    expect(keysSeen()).toEqual(new Set([`Bearer ${KEY}`]))
  })

  it('that HTTPS_PROXY names is used for https, and what it refuses is told', async () => {
    const env = { HTTPS_PROXY: proxy.url, PML_REGISTRY_URL: 'https://registry.example' }
    const { exit, stderr } = await workspace.run(['fetch', name], { env })
    expect(exit).toBe(6)
    expect(stderr).toContain('Cannot reach the registry at https://registry.example: the proxy refused')
    expect(new Set(proxy.targets)).toEqual(new Set(['registry.example:443']))
  })

  it('that HTTPS_PROXY names is not used for http', async () => {
    const env = { HTTPS_PROXY: proxy.url }
    expect(await workspace.run([...fetchName, '--insecure-http'], { env })).toMatchObject({ exit: 6 })
    expect(proxy.targets).toEqual([])
  })

  it.each(['registry.example', '.example', '*', 'other.example,registry.example:80'])(
    'is not used where NO_PROXY is %s',
    async (noProxy) => {
      const env = { HTTP_PROXY: proxy.url, NO_PROXY: noProxy }
      expect(await workspace.run([...fetchName, '--insecure-http'], { env })).toMatchObject({ exit: 6 })
      expect(proxy.targets).toEqual([])
    },
  )

  it('is used where NO_PROXY names others', async () => {
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'other.example,127.0.0.1' }
    expect(await workspace.run([...fetchName, '--insecure-http'], { env })).toMatchObject({ exit: 0 })
  })

  it('is never used for a registry on this machine', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = registry.url.replace('127.0.0.1', host)
      const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, PML_REGISTRY_URL: url }
      expect(await workspace.run(fetchName, { env })).toMatchObject({ exit: 0 })
    }
    expect(proxy.targets).toEqual([])
  })

  it('that cannot be understood is an error before anything is sent', async () => {
    const env = { HTTP_PROXY: 'socks5://secret@127.0.0.1:1' }
    const { exit, stderr } = await workspace.run(['fetch', name, '--insecure-http'], { env })
    expect(exit).toBe(2)
    expect(stderr).toContain('HTTP_PROXY: expected an http address')
    expect(stderr).not.toContain('secret')
  })
})

describe('plain http', () => {
  it('to another machine is refused without --insecure-http', async () => {
    const env = { HTTP_PROXY: proxy.url }
    for (const argv of [fetchName, ['run', 'text:shout', '--json'], ['sync', '--json']]) {
      await workspace.writeConfig({ permissions: { allow: ['text:shout'] } })
      const { exit, stdout } = await workspace.run(argv, { env })
      expect(exit).toBe(2)
      expect(JSON.parse(stdout)).toEqual({
        error: 'invalid_config',
        message: `Cannot call ${AWAY}: expected https; set PML_REGISTRY_URL to an https address, or give --insecure-http`,
      })
    }
    expect(proxy.targets).toEqual([])
  })
})

describe('the key', () => {
  const viaProxy = () => ({ HTTP_PROXY: proxy.url, PML_REGISTRY_URL: '' })

  it('is not sent to a registry that only .pml.json names, and the person is told', async () => {
    await workspace.writeConfig({ cloud: { url: AWAY } })
    const { exit, stderr } = await workspace.run([...fetchName, '--insecure-http'], { env: viaProxy() })
    expect(exit).toBe(0)
    expect(keysSeen()).toEqual(new Set([undefined]))
    expect(stderr).toContain(`PML_API_KEY is not sent to ${AWAY}, which only .pml.json names`)
    expect(stderr).not.toContain(KEY)
  })

  it('is not sent to it when it is on this very machine either', async () => {
    await workspace.writeConfig({ cloud: { url: registry.url } })
    const { exit, stderr } = await workspace.run(fetchName, { env: viaProxy() })
    expect([exit, stderr]).toEqual([0, expect.stringContaining('PML_API_KEY is not sent to')])
    expect(keysSeen()).toEqual(new Set([undefined]))
  })

  it('is sent to the registry of the environment, whatever .pml.json names', async () => {
    await workspace.writeConfig({ cloud: { url: 'https://other.example' } })
    const env = { HTTP_PROXY: proxy.url }
    expect(await workspace.run([...fetchName, '--insecure-http'], { env })).toMatchObject({ exit: 0 })
    expect(keysSeen()).toEqual(new Set([`Bearer ${KEY}`]))
    expect(new Set(proxy.targets)).toEqual(new Set(['registry.example:80']))
  })

  it('is not sent to a name that only looks like this machine', async () => {
    for (const host of ['127.0.0.1.example', 'localhost.example', '127.evil.example']) {
      await workspace.writeConfig({ cloud: { url: `http://${host}` } })
      expect(await workspace.run(fetchName, { env: viaProxy() })).toMatchObject({ exit: 2 })
    }
    expect(proxy.targets).toEqual([])
  })
})
