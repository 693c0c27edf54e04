import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { integrityOf } from '@pml/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { openPublisher, saying, type Publisher } from '../../../test/publisher.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import { openClient } from '../../calls/open-client.ts'
import { fetchEntry } from '../../registry/fetch-entry.ts'
import { resolveReference } from '../../registry/resolve-reference.ts'
import { processOps } from '../../machine/ops.ts'

const NAME = 'acme.tools.text.shout'
const OTHER = 'acme.tools.text.whisper'

let registry: TestRegistry
let publisher: Publisher
let workspace: TestWorkspace
let fqdn: string

beforeAll(async () => {
  registry = await startRegistry()
  publisher = await openPublisher(registry)
  fqdn = await publisher.publish(NAME, saying('loud'))
  await publisher.publish(OTHER, saying('soft'))
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
})
afterEach(() => workspace.remove())

const lockPath = () => join(workspace.root, '.pml', 'mcp.lock')

async function writeLock(text: string): Promise<void> {
  await mkdir(join(workspace.root, '.pml'), { recursive: true })
  await writeFile(lockPath(), text)
}

/** Entries that another machine could have locked. */
function lockOf(entries: Record<string, string>): string {
  const block = Object.entries(entries).map(([name, fetchedAt]) => {
    const integrity = integrityOf(Buffer.from(saying(name === NAME ? 'loud' : 'soft')))
    const key = `${name}.${integrity.slice('sha256-'.length, 'sha256-'.length + 4)}`
    return `    "${key}": {\n      "integrity": "${integrity}",\n      "fetchedAt": "${fetchedAt}",\n      "type": "deno",\n      "routing": "client"\n    }`
  })
  return `{\n  "version": 1,\n  "entries": {\n${block.join(',\n')}\n  }\n}\n`
}

describe('an untrustworthy lockfile', () => {
  const entry = `{"integrity":"sha256-${'a'.repeat(64)}","fetchedAt":"2026-01-07T12:00:00Z","type":"deno","routing":"client"}`
  const restore = 'restore the file from version control'
  const wrong: [string, string, string][] = [
    [
      'has conflict markers',
      '{\n  "version": 1,\n<<<<<<< ours\n  "entries": {}\n=======\n',
      'it has conflict markers at line 3; resolve them, then run "pml lock verify"',
    ],
    ['is cut off', '{\n  "version": 1,\n  "entries": {', restore],
    ['is empty', '', restore],
    ['is of a newer version', '{"version":2,"entries":{}}', 'expected version 1, got 2; use a newer pml'],
    [
      'has two entries for one name',
      `{"version":1,"entries":{"${NAME}.aaaa":${entry},"${NAME}.aaaaa":${entry}}}`,
      `it has two entries for ${NAME}, expected one; ${restore}`,
    ],
    [
      'says one thing twice',
      `{"version":1,"entries":{"${NAME}.aaaa":${entry},"${NAME}.aaaa":${entry}}}`,
      restore,
    ],
  ]
  const commands = [
    ['fetch', NAME],
    ['run', 'text:shout'],
    ['list'],
    ['lock', 'show'],
    ['lock', 'verify'],
    ['lock', 'clean'],
    ['lock', 'clean', '--older-than', '1d'],
    ['lock', 'why', NAME],
    ['sync'],
    ['outdated'],
    ['update'],
    ['add', NAME],
    ['remove', NAME],
  ]

  it.each(wrong)('because it %s stops every command, and stays unchanged', async (_, text, message) => {
    await workspace.writeConfig({ permissions: { allow: ['text:*'] } })
    await writeLock(text)
    const outcomes = await Promise.all(
      commands.map(async (argv) => ({ argv, ...(await workspace.run(argv)) })),
    )
    for (const { argv, exit, stdout, stderr } of outcomes) {
      expect({ argv, exit, stdout }).toEqual({ argv, exit: 4, stdout: '' })
      expect(stderr).toContain(lockPath())
      expect(stderr, argv.join(' ')).toContain(message)
    }
    expect(await readFile(lockPath(), 'utf8')).toBe(text)
    const json = await workspace.run(['list', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ error: 'invalid_lockfile' })
  })
})

describe('the lockfile', () => {
  it('has a stable format', async () => {
    const ops = { ...processOps(), env: workspace.env, cacheHome: workspace.cacheDir }
    const now = () => new Date('2026-01-07T12:00:00.000Z')
    const client = await openClient({ ...ops, now }, { workspace: workspace.root })
    try {
      for (const text of [OTHER, NAME]) {
        const reference = await resolveReference(client, text)
        await fetchEntry(client, reference, { operation: { kind: 'fetch', reference: text } })
      }
    } finally {
      await client.close()
    }
    const golden = fileURLToPath(new URL('../../../test/golden/mcp.lock', import.meta.url))
    expect(await workspace.readLock()).toBe(await readFile(golden, 'utf8'))
  })

  it('is not written by commands that change nothing', async () => {
    await workspace.writeConfig({ permissions: { allow: ['text:*'] } })
    expect((await workspace.run(['fetch', NAME])).exit).toBe(0)
    const look = async () => {
      const { ino, mtimeNs, ctimeNs } = await stat(lockPath(), { bigint: true })
      return { ino, mtimeNs, ctimeNs }
    }
    const before = await look()
    for (const argv of [
      ['fetch', NAME],
      ['add', NAME],
      ['list'],
      ['lock', 'clean'],
      ['lock', 'verify'],
      ['update'],
    ])
      expect({ argv, exit: (await workspace.run(argv)).exit }).toEqual({ argv, exit: 0 })
    expect(await look()).toEqual(before)
  })

  it('drops entries that no rule covers on load, with a message, but not if frozen', async () => {
    await writeLock(lockOf({ [NAME]: '2026-01-07T12:00:00Z', [OTHER]: '2026-01-07T12:00:00Z' }))
    const whole = await workspace.readLock()
    await workspace.writeConfig({ permissions: { allow: ['text:whisper'] } })
    const frozen = await workspace.run(['list', '--json', '--frozen'])
    expect(JSON.parse(frozen.stdout)).toMatchObject({ entries: [{}, {}] })
    expect(await workspace.readLock()).toBe(whole)
    const { stdout, stderr } = await workspace.run(['list', '--json'])
    expect((JSON.parse(stdout) as { entries: unknown[] }).entries).toHaveLength(1)
    expect(stderr).toBe(
      `Removed from .pml/mcp.lock, because no allow or ask rule in .pml.json covers it:\n  ${fqdn}\n`,
    )
    expect(await workspace.readLock()).toBe(lockOf({ [OTHER]: '2026-01-07T12:00:00Z' }))
  })
})

describe('pml lock', () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString()

  beforeEach(async () => {
    await workspace.writeConfig({ permissions: { allow: ['text:shout'], ask: ['text:*'], deny: ['shell'] } })
    await writeLock(lockOf({ [NAME]: day(89), [OTHER]: day(91) }))
  })

  it('show prints every entry with its whole integrity', async () => {
    const { exit, stdout } = await workspace.run(['lock', 'show', '--json'])
    const { path, entries } = JSON.parse(stdout) as { path: string; entries: { fqdn: string }[] }
    expect([exit, path, entries.length]).toEqual([0, lockPath(), 2])
    const integrity = integrityOf(Buffer.from(saying('loud')))
    expect(entries[0]).toMatchObject({ fqdn, integrity, type: 'deno', routing: 'client' })
    expect((await workspace.run(['lock', 'show'])).stdout).toContain(integrity)
  })

  it('verify hashes the content of every entry, and reports missing content', async () => {
    expect(JSON.parse((await workspace.run(['lock', 'verify', '--json', '--offline'])).stdout)).toMatchObject(
      {
        entries: 2,
        verified: 0,
      },
    )
    const sound = await workspace.run(['lock', 'verify', '--json'])
    expect(JSON.parse(sound.stdout)).toEqual({ entries: 2, verified: 2, unknown: [] })
    expect((await workspace.run(['lock', 'verify'])).stdout).toContain('verified')
    const text = (await workspace.readLock()) ?? ''
    await writeLock(
      text.replace(integrityOf(Buffer.from(saying('soft'))), (found) => `${found.slice(0, -1)}x`),
    )
    expect((await workspace.run(['lock', 'verify'])).exit).toBe(4)
    await writeLock(text.replace(/[0-9a-f]{4}(",\n {6}"fetchedAt")/, '0000$1'))
    const { exit, stderr } = await workspace.run(['lock', 'verify'])
    expect([exit, stderr]).toEqual([4, expect.stringContaining('1 of 2 entries')])
    expect(stderr).toContain(NAME)
  })

  it('clean removes older entries and lists them', async () => {
    const { exit, stdout } = await workspace.run(['lock', 'clean', '--older-than', '90d', '--json'])
    const { removed } = JSON.parse(stdout) as { removed: string[] }
    expect([exit, removed]).toEqual([0, [expect.stringContaining(OTHER)]])
    expect(await workspace.readLock()).toContain(fqdn)
    expect(await workspace.readLock()).not.toContain(OTHER)
    expect((await workspace.run(['lock', 'clean', '--older-than', '1h'])).stdout).toContain(fqdn)
    expect(await workspace.readLock()).toBe('{\n  "version": 1,\n  "entries": {}\n}\n')
  })

  it('clean removes entries that no rule covers and lists them', async () => {
    await workspace.writeConfig({ permissions: { allow: ['text:whisper'] } })
    const { stdout } = await workspace.run(['lock', 'clean', '--json'])
    expect(JSON.parse(stdout)).toEqual({ removed: [fqdn] })
  })

  it('clean refuses an invalid age and a frozen lockfile', async () => {
    const before = await workspace.readLock()
    expect(await workspace.run(['lock', 'clean', '--older-than', 'old'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('expected one like 90d, 12h or 6w'),
    })
    expect((await workspace.run(['lock', 'clean', '--older-than', '1d', '--frozen'])).exit).toBe(4)
    expect(await workspace.readLock()).toBe(before)
  })

  it('why lists the rules that cover an entry', async () => {
    const { stdout } = await workspace.run(['lock', 'why', 'text:shout', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      fqdn,
      verdict: 'allow',
      rules: { deny: [], allow: ['text:shout'], ask: ['text:*'] },
    })
    expect((await workspace.run(['lock', 'why', NAME])).stdout).toContain('allow')
    expect(await workspace.run(['lock', 'why', 'acme.tools.text.none'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('it is not in .pml/mcp.lock; "pml list" shows what is'),
    })
  })
})

describe('pml lock diff', () => {
  it('shows added, removed and changed entries since another lockfile, with full digests', async () => {
    await workspace.run(['fetch', NAME])
    const older = (await readFile(lockPath(), 'utf8')).replaceAll('text', 'old')
    await writeFile(join(workspace.root, 'older.lock'), older)
    const { exit, stdout } = await workspace.run(['lock', 'diff', 'older.lock', '--json'])
    const [integrity] = /sha256-[0-9a-f]{64}/.exec(older) ?? []
    expect([exit, JSON.parse(stdout)]).toEqual([
      0,
      {
        added: [{ fqdn, integrity }],
        removed: [{ fqdn: fqdn.replace('text', 'old'), integrity }],
        changed: [],
      },
    ])
    const same = await workspace.run(['lock', 'diff', '.pml/mcp.lock', '--json'])
    expect(JSON.parse(same.stdout)).toEqual({ added: [], removed: [], changed: [] })
  })

  it('reports what is wrong with the other lockfile', async () => {
    expect(await workspace.run(['lock', 'diff', 'none.lock'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('there is no such file'),
    })
    await writeFile(join(workspace.root, 'broken.lock'), '<<<<<<< ours')
    expect((await workspace.run(['lock', 'diff', 'broken.lock'])).exit).toBe(4)
  })
})
