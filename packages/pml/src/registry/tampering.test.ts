import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { integrityOf, reprDigest } from '@pml/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readFolder } from '../../test/read-folder.ts'
import { entries, startSmallCatalog, type EntryType, type SmallCatalog } from '../../test/small-catalog.ts'
import { oneByteOff, type Passing } from '../../test/tampering-proxy.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const digest = /sha256-[0-9a-f]{64}/g
const types = Object.keys(entries) as EntryType[]

let catalog: SmallCatalog
let workspace: TestWorkspace

beforeAll(async () => {
  catalog = await startSmallCatalog()
})
afterAll(() => catalog.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(catalog.proxy.url)
})
afterEach(async () => {
  catalog.proxy.beHonest()
  await workspace.remove()
})

/** Changes what is said about an entry; where the redirect leads stays as it is. */
const header = (name: string) => (answer: Passing) => {
  const said = answer.headers[name]
  if (said !== undefined && answer.status === 200) answer.headers[name] = oneByteOff(said)
}

const body = (answer: Passing) => {
  if (answer.status === 200) answer.body = Buffer.from(oneByteOff(answer.body.toString('latin1')), 'latin1')
}

const inDocument = (member: string) => (answer: Passing) => {
  if (answer.status !== 200) return
  const document = JSON.parse(answer.body.toString()) as Record<string, string>
  document[member] = oneByteOff(document[member] ?? '')
  answer.body = Buffer.from(JSON.stringify(document))
  answer.headers['repr-digest'] = reprDigest(integrityOf(answer.body))
}

async function everything(): Promise<unknown> {
  return [await readFolder(workspace.root), await readFolder(workspace.cacheDir)]
}

interface Refusal {
  readonly error: string
  readonly message: string
}

/** Exit 4, and nothing is written. */
async function refused(argv: readonly string[]): Promise<string> {
  const before = await everything()
  const { exit, stdout } = await workspace.run([...argv, '--json'])
  const { error, message } = JSON.parse(stdout) as Refusal
  expect({ exit, error }).toEqual({ exit: 4, error: 'integrity_mismatch' })
  expect(await everything()).toEqual(before)
  return message
}

describe.each(types)('one byte changed on the way of a %s entry is refused', (type) => {
  const name = entries[type]

  it.each([
    ['body', body, /the received content is (?:sha256-|sha-256=)/],
    ['ETag', header('etag'), /the ETag says sha256-/],
    ['Repr-Digest', header('repr-digest'), /is sha-256=:.*Repr-Digest says sha-256=:/],
    ['X-PML-FQDN', header('x-pml-fqdn'), /X-PML-FQDN says/],
    ['X-PML-Type', header('x-pml-type'), /X-PML-Type says/],
  ] as const)('in %s, when it is new and when it is locked', async (_what, change, message) => {
    catalog.proxy.tamper(change)
    expect(await refused(['fetch', name])).toMatch(message)
    catalog.proxy.beHonest()
    expect(await workspace.run(['fetch', name])).toMatchObject({ exit: 0 })
    // Without the cache the registry has to send it again.
    workspace.env['PML_CACHE_DIR'] = join(workspace.cacheDir, 'other')
    catalog.proxy.tamper(change)
    expect(await refused(['fetch', name])).toMatch(message)
  })

  it('in any place of the body, with a digest of the wrong one', async () => {
    const pml = await workspace.open()
    for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      catalog.proxy.tamper((answer) => {
        if (answer.status !== 200) return
        const at = Math.floor(answer.body.length * share)
        answer.body[at] = (answer.body[at] ?? 0) ^ 1
        answer.headers['repr-digest'] = reprDigest(integrityOf(answer.body))
      })
      await expect(pml.fetch(name)).rejects.toMatchObject({ code: 'integrity_mismatch', exitCode: 4 })
    }
    expect(await everything()).toEqual([{}, {}])
  })

  it.each(types.filter((other) => other !== type))('in its type, which is said to be %s', async (other) => {
    catalog.proxy.tamper(({ status, headers }) => {
      if (status === 200) headers['x-pml-type'] = other
    })
    const message = await refused(['fetch', name])
    const [, found, declared] = /the received content is (.+), but .+ says (.+);/.exec(message) ?? []
    expect(found).toBeDefined()
    expect(found).not.toBe(declared)
  })

  it('in the address of the release', async () => {
    const fqdn = await catalog.currentFqdn(name)
    const answer = await catalog.registry.fetch(`/mcp/${fqdn}`)
    const [right, served] = [await answer.text(), Object.fromEntries(answer.headers)]
    const wrong = oneByteOff(fqdn)
    // A registry that answers any hash with what it has.
    catalog.proxy.tamper((passing) => {
      passing.status = 200
      passing.body = Buffer.from(right)
      passing.headers = served
      delete passing.headers['content-length']
    })
    const message = await refused(['fetch', wrong])
    expect(message).toContain(`its address says ${wrong.split('.').at(-1)}`)
    expect(message.match(digest)).toHaveLength(1)
  })

  it('is mended in the cache: fetched again, right, and kept', async () => {
    const pml = await workspace.open()
    const { integrity } = (await pml.fetch(name)) as { integrity: string }
    const hex = integrity.slice('sha256-'.length)
    const path = join(workspace.cacheDir, 'content', hex.slice(0, 2), hex)
    const [right, locked] = [await readFile(path), await workspace.readLock()]
    const damaged = Buffer.from(oneByteOff(right.toString('latin1')), 'latin1')
    await writeFile(path, damaged)
    const { exit, stdout, stderr } = await workspace.run(['fetch', name, '--json'])
    expect({ exit, content: (JSON.parse(stdout) as { content: string }).content }).toEqual({
      exit: 0,
      content: right.toString(),
    })
    expect(stderr).toContain(`expected ${integrity}, got ${integrityOf(damaged)}`)
    expect(await readFile(path)).toEqual(right)
    expect(await workspace.readLock()).toBe(locked)
  })

  it('in the hash of the lock entry, whose integrity is another one', async () => {
    await workspace.run(['fetch', name])
    const lock = (await workspace.readLock()) ?? ''
    const fqdn = await catalog.currentFqdn(name)
    const wrong = oneByteOff(fqdn)
    await writeFile(join(workspace.root, '.pml', 'mcp.lock'), lock.replace(fqdn, wrong))
    const before = await everything()
    const { exit, stderr } = await workspace.run(['fetch', name])
    expect(exit).toBe(4)
    expect(stderr).toContain(`entry '${wrong}': its integrity sha256-`)
    expect(stderr).toContain('restore the file from version control')
    expect(await everything()).toEqual(before)
  })

  it('in the integrity of the lock entry, with both digests, frozen or not', async () => {
    await workspace.run(['fetch', name])
    const lock = (await workspace.readLock()) ?? ''
    const [right = ''] = lock.match(digest) ?? []
    const wrong = oneByteOff(right)
    await writeFile(join(workspace.root, '.pml', 'mcp.lock'), lock.replace(right, wrong))
    for (const mode of [[], ['--frozen']]) {
      const message = await refused(['fetch', name, ...mode])
      expect(message.match(digest)).toEqual([wrong, right])
      expect(message).toContain('restore the lockfile from version control')
    }
    const verified = await workspace.run(['lock', 'verify', '--json'])
    expect(verified.exit).toBe(4)
    expect(verified.stdout).toContain(wrong)
  })
})

describe('one byte changed in what a document says about itself is refused', () => {
  it.each([
    ['stdio', 'integrity'],
    ['stdio', 'fqdn'],
    ['stdio', 'type'],
    ['stdio', 'routing'],
    ['http', 'integrity'],
    ['http', 'fqdn'],
    ['http', 'type'],
    ['http', 'routing'],
  ] as const)('%s: %s', async (type, member) => {
    catalog.proxy.tamper(inDocument(member))
    const message = await refused(['fetch', entries[type]])
    if (member === 'integrity') expect(new Set(message.match(digest))).toHaveProperty('size', 2)
    else expect(message).toContain('says')
  })
})

describe('one byte changed in the lock of a pinned tree is refused', () => {
  const blob = (answer: Passing, path: string) => {
    if (path.startsWith('/blobs/')) body(answer)
  }

  it('before anybody is asked to install it', async () => {
    await workspace.writeConfig({ permissions: { allow: ['memory'] } })
    await workspace.run(['fetch', 'memory'])
    catalog.proxy.tamper(blob)
    const message = await refused(['run', 'memory:read_graph'])
    expect(new Set(message.match(digest))).toHaveProperty('size', 2)
  })

  it('when it is added, which then is neither allowed nor locked nor agreed to', async () => {
    await workspace.run(['init'])
    const config = await readFile(join(workspace.root, '.pml.json'), 'utf8')
    catalog.proxy.tamper(blob)
    const { exit, stdout } = await workspace.run(['add', 'memory', '--json'])
    expect(exit).toBe(4)
    expect(new Set(stdout.match(digest))).toHaveProperty('size', 2)
    expect(await readFolder(join(workspace.cacheDir, 'trees'))).toEqual({})
    const after = (file: string) => readFile(join(workspace.root, file), 'utf8')
    expect(await after('.pml.json')).toBe(config)
    expect(await after('.pml/mcp.lock')).toBe('{\n  "version": 1,\n  "entries": {}\n}\n')
    expect(await workspace.readConsent()).toEqual({})
  })
})
