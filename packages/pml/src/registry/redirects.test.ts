import { afterEach, describe, expect, it } from 'vitest'
import { fakeRelease, startFakeRegistry } from '../../test/fake-registry.ts'
import { json, startPeer, type Peer, type Reply } from '../../test/peer.ts'
import { readFolder } from '../../test/read-folder.ts'
import { makeWorkspace } from '../../test/test-workspace.ts'

const KEY = 'pml_abc_s3cr3t'
const release = fakeRelease('acme.tools.text.shout', 'export default () => "loud"\n')
const { name, fqdn, bytes, headers } = release

const peers: Peer[] = []
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop()
})

async function peerThat(reply: Reply): Promise<Peer> {
  const peer = await startPeer(reply)
  peers.push(peer)
  return peer
}

const serve: Reply = (response) => void response.writeHead(200, headers).end(bytes)
const redirect =
  (location: string, status = 302): Reply =>
  (response) =>
    void response.writeHead(status, { location }).end()

/** What the command says, which has the key of a person and must leave nothing behind. */
async function fetchAt({ url }: Pick<Peer, 'url'>, reference: string = name) {
  const workspace = await makeWorkspace(url)
  workspace.env['PML_API_KEY'] = KEY
  try {
    const { exit, stdout } = await workspace.run(['fetch', reference, '--json'])
    const { error, message } = JSON.parse(stdout) as Record<string, string>
    expect(await readFolder(workspace.root)).toEqual({})
    expect(await readFolder(workspace.cacheDir)).toEqual({})
    return { exit, error, message }
  } finally {
    await workspace.remove()
  }
}

describe('a registry that redirects elsewhere is refused, and the key stays', () => {
  it.each([
    ['another host', (away: string) => `${away}/mcp/${fqdn}`],
    ['another host without a scheme', (away: string) => `${away.replace('http:', '')}/mcp/${fqdn}`],
    ['another scheme', (_away: string, own: string) => `${own.replace('http:', 'https:')}/mcp/${fqdn}`],
    ['a scheme that is no web', () => `file:///mcp/${fqdn}`],
    ['another name', () => `/mcp/acme.tools.text.whisper.${fqdn.split('.').at(-1)}`],
    ['no hash', () => `/mcp/${name}`],
    ['another path', () => `/elsewhere/mcp/${fqdn}`],
    ['a blob', () => `/blobs/${release.integrity}`],
    ['nowhere', () => ''],
  ])('to %s', async (_what, target) => {
    const away = await peerThat(serve)
    const own = await peerThat((response, seen) =>
      seen.path === `/mcp/${name}`
        ? redirect(target(away.url, own.url))(response, seen)
        : serve(response, seen),
    )
    expect(await fetchAt(own)).toMatchObject({
      exit: 6,
      error: 'unavailable',
      message: expect.stringContaining(`it redirects ${name} to `),
    })
    expect(away.seen).toEqual([])
    expect(own.seen.map(({ path }) => path)).toEqual([`/mcp/${name}`])
    expect(own.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  it.each([301, 302, 303, 307, 308])('from a release, with %i', async (status) => {
    const away = await peerThat(serve)
    const own = await startFakeRegistry(release, redirect(`${away.url}/mcp/${fqdn}`, status))
    peers.push(own)
    expect(await fetchAt(own)).toMatchObject({
      exit: 6,
      error: 'unavailable',
      message: `Cannot use the answer of ${own.url}: it redirects to ${away.url}; set PML_REGISTRY_URL to the registry's own address`,
    })
    expect(away.seen).toEqual([])
  })

  it('from a blob, and from the catalog', async () => {
    const away = await peerThat(serve)
    const own = await peerThat(redirect(`${away.url}/mcp`))
    expect(await fetchAt(own, 'text:shout')).toMatchObject({ exit: 6 })
    expect(away.seen).toEqual([])
  })
})

describe('a redirect within the registry', () => {
  it('is followed below the path of its address, whichever of both it names', async () => {
    for (const location of [`/mcp/${fqdn}`, `/behind/proxy/mcp/${fqdn}`, fqdn]) {
      const own = await peerThat((response, seen) =>
        seen.path === `/behind/proxy/mcp/${name}`
          ? redirect(location)(response, seen)
          : serve(response, seen),
      )
      const workspace = await makeWorkspace(`${own.url}/behind/proxy`)
      const pml = await workspace.open()
      expect(await pml.fetch(name)).toMatchObject({ fqdn })
      expect(own.seen.at(-1)?.path).toBe(`/behind/proxy/mcp/${fqdn}`)
      await workspace.remove()
    }
  })

  it('that redirects in circles fails', async () => {
    const currentFqdn = (path = '') => `${name}.${path.endsWith('aaaa') ? 'bbbb' : 'aaaa'}`
    const own = await startFakeRegistry(release, (response, seen) =>
      json(404, { error: 'hash_mismatch', message: 'no', currentFqdn: currentFqdn(seen.path) })(
        response,
        seen,
      ),
    )
    peers.push(own)
    expect(await fetchAt(own)).toMatchObject({
      exit: 6,
      error: 'unavailable',
      message: expect.stringContaining('the registry names another release on every request'),
    })
    expect(own.seen.length).toBeLessThan(6)
  })

  it('to a release of another name counts as none', async () => {
    const currentFqdn = 'acme.tools.text.whisper.aaaa'
    const body = { error: 'hash_mismatch', message: 'Hash does not match', currentFqdn }
    const own = await startFakeRegistry(release, json(404, body))
    peers.push(own)
    expect(await fetchAt(own)).toMatchObject({ exit: 4, error: 'hash_mismatch' })
    expect(own.seen).toHaveLength(2)
  })
})
