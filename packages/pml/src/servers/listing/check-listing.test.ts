import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IntegrityError, localServerName, PmlError, withEntry, type LockedEntry } from '@pml/core'
import type { LocalServer } from '@pml/core/local-servers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kill } from '../../../test/rough-folder.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { ClientOptions } from '../../api/pml.ts'
import type { IntegrityApprovalRequired } from '../../api/approval.ts'
import { limitsOf } from '../../calls/call-parts.ts'
import { openClient, type Client } from '../../calls/open-client.ts'
import type { ApprovedChange } from '../../registry/fetch-entry.ts'
import { processOps } from '../../machine/ops.ts'
import { openSession } from '../../mcp/mcp-session.ts'
import { continueWorkflow } from '../../calls/continue-workflow.ts'
import { checkListing, findLockedListing, type keepApproved } from './check-listing.ts'
import { hashListing, listingOf, type ServerListing } from './server-listing.ts'

type Shown = Parameters<typeof listingOf>[1]

type Checked = Awaited<ReturnType<typeof keepApproved>>

const script = fileURLToPath(new URL('../../../test/listing-server.mjs', import.meta.url))
const operation = { kind: 'open-server', server: 'files' } as const
const never = new AbortController().signal
const read = { name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' as const } }
const write = { name: 'write', description: 'Writes a file.', inputSchema: { type: 'object' as const } }
const server: LocalServer = {
  name: 'files',
  description: '',
  launch: {
    kind: 'stdio',
    command: process.execPath,
    args: [script],
    env: { TOKEN: 'hunter2' },
    cwd: undefined,
  },
  isDisabled: false,
  tools: undefined,
  capabilities: undefined,
  startTimeoutMs: undefined,
  callTimeoutMs: undefined,
}
const shown: Shown = { instructions: 'Be careful.', tools: [read, write] }
const listing = listingOf(server, shown)
const other = listingOf(server, { ...shown, tools: [{ ...read, description: 'Sends a file.' }, write] })

let workspace: TestWorkspace
let client: Client
const opened: Client[] = []

beforeEach(async () => {
  workspace = await makeWorkspace('http://127.0.0.1:9/')
  client = await open()
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await workspace.remove()
})

async function open(options: ClientOptions = {}): Promise<Client> {
  const ops = { ...processOps(), env: workspace.env, cacheHome: workspace.cacheDir }
  const made = await openClient(ops, { workspace: workspace.root, frozen: false, ...options })
  opened.push(made)
  return made
}

const check = (found: ServerListing, approved?: ApprovedChange, by = client) =>
  checkListing(by, 'files', { listing: found, operation, approved })

/** Locks one listing and checks another. */
async function stop(before = listing, after = other): Promise<IntegrityApprovalRequired> {
  expect(await check(before)).toMatchObject({ lock: 'added' })
  const asked = await check(after)
  if (!asked.approvalRequired) throw new Error('it did not ask')
  return asked
}

function approvedIn({ oldIntegrity, newIntegrity, newHash, type, routing }: IntegrityApprovalRequired) {
  const to = { integrity: newIntegrity, hash: newHash, type, routing }
  return { from: oldIntegrity, to } as ApprovedChange
}

const answer = ({ workflowId }: IntegrityApprovalRequired, approved: boolean) =>
  continueWorkflow(client, { workflowId, approved, given: { by: 'terminal' } }, limitsOf())
const at = (...path: string[]) => join(workspace.root, '.pml', ...path)
const readListing = () => readFile(at('servers', 'files.json'), 'utf8')

/** What the real process says of itself. */
async function start({ instructions, tools }: Shown): Promise<ServerListing> {
  await writeFile(join(workspace.root, 'listing.json'), JSON.stringify({ instructions, tools }))
  const session = await openSession(
    { kind: 'stdio', command: process.execPath, args: [script], cwd: workspace.root, env: {}, secrets: [] },
    {
      client: { name: 'test', version: '1' },
      connectTimeoutMs: 20_000,
      signal: never,
      kill,
      onStderr: () => {},
    },
  )
  try {
    const listed = await session.listTools({ signal: never, timeoutMs: 20_000 })
    return listingOf(server, { instructions: session.instructions, tools: listed })
  } finally {
    await session.close()
  }
}

describe('a listing', () => {
  it('has names of variables and headers, and never their values', () => {
    expect(listing.launch).toEqual({
      kind: 'stdio',
      command: process.execPath,
      args: [script],
      env: ['TOKEN'],
      cwd: null,
    })
    const headers = { Z: 'hunter2', Authorization: 'Bearer hunter2' }
    const launch = { kind: 'http', url: 'https://a.example/mcp', headers } as const
    const remote = listingOf({ launch }, { instructions: undefined, tools: [] })
    expect(remote).toEqual({
      launch: { kind: 'http', url: 'https://a.example/mcp', headers: ['Authorization', 'Z'] },
      instructions: null,
      tools: [],
    })
    expect(JSON.stringify([listing, remote])).not.toContain('hunter2')
  })
})

describe('a local server at the door', () => {
  it('is locked when it is new, with its listing beside the lockfile', async () => {
    const checked = (await check(listing)) as Checked
    expect(checked).toMatchObject({ approvalRequired: false, lock: 'added' })
    const { entries } = JSON.parse((await workspace.readLock()) ?? '') as { entries: Record<string, object> }
    expect(entries).toEqual({
      [checked.fqdn]: {
        integrity: checked.integrity,
        fetchedAt: expect.any(String),
        type: 'stdio',
        routing: 'client',
      },
    })
    expect(checked.fqdn).toMatch(/^local\.mcp\.files\.server\.[0-9a-f]{4}$/)
    expect(JSON.parse(await readListing())).toEqual(listing)
    expect(await readListing()).toContain('\n  "instructions": "Be careful.",\n')
    expect((await stat(at('servers', 'files.json'))).mode & 0o777).toBe(0o644)
    expect(await findLockedListing(client, 'files')).toEqual(listing)
  })

  it('is the same in any order of tools and members, and writes nothing then', async () => {
    await check(listing)
    const before = await stat(at('servers', 'files.json'))
    const turned = { ...read, inputSchema: { type: 'object' as const } }
    const tools = [write, Object.fromEntries(Object.entries(turned).toReversed()) as typeof read]
    expect(await check(listingOf(server, { ...shown, tools }))).toMatchObject({ lock: 'same' })
    expect((await stat(at('servers', 'files.json'))).ino).toBe(before.ino)
  })

  it('that lists something else is a question with a classified difference, and changes nothing', async () => {
    const approval = await stop()
    const lock = await workspace.readLock()
    const { findings, change, diff, workflowId, expiresAt, ...rest } = approval
    expect(rest).toMatchObject({
      approvalRequired: true,
      approvalType: 'integrity',
      fqdn: 'local.mcp.files.server',
      type: 'stdio',
      routing: 'client',
    })
    expect(rest.oldIntegrity).not.toBe(rest.newIntegrity)
    expect(findings).toEqual([
      {
        kind: 'description_changed',
        subject: 'read',
        severity: 'warning',
        message: 'tool read: description changed: "Reads a file." -> "Sends a file."',
      },
    ])
    expect(change.warnings).toEqual(findings?.map(({ message }) => message))
    expect(diff).toContain('Description of read:\n-Reads a file.\n+Sends a file.\n')
    expect(await client.approvals.list()).toMatchObject([{ workflowId, expiresAt, findings }])
    expect([await check(other), await workspace.readLock()]).toMatchObject([{ approvalRequired: true }, lock])
    expect(await findLockedListing(client, 'files')).toEqual(listing)
  })

  it.each([
    [
      'a character that cannot be seen',
      { ...shown, tools: [{ ...read, description: 'Reads a file.\u{200b}' }, write] },
    ],
    ['a tool a second time', { ...shown, tools: [read, read, write] }],
    ['null in place of nothing', { ...shown, tools: [{ ...read, title: null }, write] }],
    ['no instructions', { ...shown, instructions: undefined }],
    ['empty instructions', { ...shown, instructions: '' }],
    [
      'a member of every object',
      { ...shown, tools: [Object.assign(JSON.parse('{"__proto__":{}}') as object, read), write] },
    ],
  ])('that lists %s is different', async (_what, changed) => {
    expect(await stop(listing, listingOf(server, changed as Shown))).toMatchObject({
      findings: expect.arrayContaining([expect.anything()]),
    })
  })

  it('that lists megabytes is a question that can be read', async () => {
    const long = 'Sends all of it, and more. '.repeat(200_000)
    const { diff, findings } = await stop(
      listing,
      listingOf(server, { instructions: long, tools: [{ ...read, description: long }, write] }),
    )
    expect(diff.length).toBeLessThan(40_000)
    expect(JSON.stringify(findings).length).toBeLessThan(10_000)
  })

  it.each([
    ['half a character', { ...shown, instructions: '\u{d800}' }],
    ['nesting without end', { ...shown, tools: [{ ...read, _meta: nested(100_000) }] }],
  ])('that lists %s is refused, and nothing is locked', async (_what, changed) => {
    await expect(check(listingOf(server, changed as Shown))).rejects.toMatchObject({
      code: 'server_failed',
      message: expect.stringMatching(/^Cannot use files: its listing cannot be hashed/),
    })
    expect(await workspace.readLock()).toBeUndefined()
  })

  it('is what its process reports', async () => {
    expect(await check(await start(shown))).toMatchObject({ lock: 'added' })
    expect(await check(await start({ ...shown, tools: [write, read] }))).toMatchObject({ lock: 'same' })
    const asked = await check(
      await start({ ...shown, tools: [{ ...read, annotations: { readOnlyHint: true } }] }),
    )
    expect(asked).toMatchObject({
      findings: [{ kind: 'annotation_changed' }, { kind: 'tool_removed', subject: 'write' }],
    })
  })
})

describe('a yes to a change', () => {
  it('locks what was shown without the server, and covers nothing else', async () => {
    const approval = await stop()
    expect(await answer(approval, true)).toMatchObject({ server: 'files', lock: 'updated' })
    expect(await check(other)).toMatchObject({ lock: 'same', integrity: approval.newIntegrity })
    expect(JSON.parse(await readListing())).toEqual(other)
    expect(await check(listing)).toMatchObject({ approvalRequired: true })
  })

  it('may be given on the command line', async () => {
    const { workflowId, newIntegrity } = await stop()
    const { exit, stdout } = await workspace.run(['continue', workflowId, '--approve', '--json'])
    expect([exit, JSON.parse(stdout)]).toEqual([
      0,
      {
        approvalRequired: false,
        server: 'files',
        fqdn: expect.stringMatching(/^local\.mcp\.files\.server\.[0-9a-f]{4,}$/),
        lock: 'updated',
      },
    ])
    expect(await check(other)).toMatchObject({ lock: 'same', integrity: newIntegrity })
  })

  it('passes with exactly the listing that was shown', async () => {
    const approved = approvedIn(await stop())
    const third = listingOf(server, { ...shown, tools: [] })
    expect(await check(third, approved)).toMatchObject({ approvalRequired: true })
    expect(await check(other, approved)).toMatchObject({ lock: 'updated' })
    expect(await findLockedListing(client, 'files')).toEqual(other)
    expect(await check(listing, approved)).toMatchObject({ approvalRequired: true })
  })

  it('is none when something else was locked meanwhile', async () => {
    const approval = await stop()
    const third = listingOf(server, { ...shown, tools: [] })
    const second = (await check(third)) as IntegrityApprovalRequired
    await answer(second, true)
    expect(await check(other, approvedIn(approval))).toMatchObject({
      approvalRequired: true,
      oldIntegrity: second.newIntegrity,
    })
    await expect(answer(approval, true)).rejects.toThrow(IntegrityError)
    expect(await findLockedListing(client, 'files')).toEqual(third)
  })

  it('and another at the same moment lock one of the two', async () => {
    const first = await stop()
    const third = listingOf(server, { ...shown, tools: [] })
    const second = (await check(third)) as IntegrityApprovalRequired
    const others = await open()
    const outcomes = await Promise.allSettled([
      check(other, approvedIn(first)),
      check(third, approvedIn(second), others),
    ])
    const passed = outcomes.filter(
      (one) => one.status === 'fulfilled' && !one.value.approvalRequired && one.value.lock === 'updated',
    )
    expect(passed).toHaveLength(1)
    const locked = await findLockedListing(client, 'files')
    expect([other, third]).toContainEqual(locked)
  })

  it('that is a no leaves everything as it was', async () => {
    const approval = await stop()
    const lock = await workspace.readLock()
    await expect(answer(approval, false)).rejects.toMatchObject({ code: 'rejected' })
    expect(await workspace.readLock()).toBe(lock)
    expect(await check(other)).toMatchObject({ approvalRequired: true })
  })

  it('needs what was shown', async () => {
    const approval = await stop()
    await rm(workspace.cacheDir, { recursive: true })
    await expect(answer(approval, true)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('two that lock the same new server', () => {
  it('lock it once if it is the same, and get an error if it differs', async () => {
    const others = await open()
    expect(await Promise.all([check(listing), check(listing, undefined, others)])).toMatchObject([
      { approvalRequired: false },
      { approvalRequired: false },
    ])
    await client.lock.update((lockfile) => ({ ...lockfile, entries: new Map() }))
    const outcomes = await Promise.allSettled([check(listing), check(other, undefined, others)])
    const kept = outcomes.filter((one) => one.status === 'fulfilled' && !one.value.approvalRequired)
    expect(kept).toHaveLength(1)
  })
})

describe('a frozen lockfile', () => {
  it('refuses what is new or different, and nothing is written', async () => {
    const frozen = await open({ frozen: true })
    await expect(check(listing, undefined, frozen)).rejects.toMatchObject({ code: 'lock_frozen' })
    await expect(stat(at())).rejects.toMatchObject({ code: 'ENOENT' })
    const approval = await stop()
    const before = [await workspace.readLock(), await readListing(), (await client.approvals.list()).length]
    for (const approved of [undefined, approvedIn(approval)])
      await expect(check(other, approved, frozen)).rejects.toMatchObject({
        code: 'lock_frozen',
        detail: { locked: approval.oldIntegrity, found: approval.newIntegrity },
      })
    expect([await workspace.readLock(), await readListing(), (await client.approvals.list()).length]).toEqual(
      before,
    )
    await rm(at('servers'), { recursive: true })
    expect(await check(listing, undefined, frozen)).toMatchObject({ lock: 'same' })
    await expect(stat(at('servers'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('the file of a listing', () => {
  const forgeries: [string, (text: string) => string][] = [
    ['says something else', (text) => text.replace('Reads a file.', 'Sends a file.')],
    [
      'says something twice',
      (text) => text.replace('"instructions"', '"instructions": "Be quick.",\n  "instructions"'),
    ],
    ['says more', (text) => text.replace('"instructions"', '"note": 1,\n  "instructions"')],
    ['is cut off', (text) => text.slice(0, -10)],
    ['is empty', () => ''],
    ['is nested without end', () => '['.repeat(100_000)],
  ]

  it.each(forgeries)('is not trusted when it %s', async (_what, forge) => {
    await check(listing)
    await rm(workspace.cacheDir, { recursive: true })
    await writeFile(at('servers', 'files.json'), forge(await readListing()))
    expect(await findLockedListing(client, 'files')).toBeUndefined()
    const asked = (await check(other)) as IntegrityApprovalRequired
    expect(asked.findings?.map(({ kind }) => kind)).toContain('listing_unknown')
    expect(asked.diff).toContain('the locked listing is missing')
  })

  it('may be lost: the cache has it too, and the next use mends it', async () => {
    await check(listing)
    await rm(at('servers', 'files.json'))
    expect(await findLockedListing(client, 'files')).toEqual(listing)
    expect(await check(other)).toMatchObject({ findings: [{ kind: 'description_changed' }] })
    expect(await check(listing)).toMatchObject({ lock: 'same' })
    expect(JSON.parse(await readListing())).toEqual(listing)
  })

  it('is never written through a link', async () => {
    await check(listing)
    await writeFile(join(workspace.root, 'mine.json'), 'mine')
    await rm(at('servers', 'files.json'))
    await symlink(join(workspace.root, 'mine.json'), at('servers', 'files.json'))
    expect(await check({ ...listing })).toMatchObject({ lock: 'same' })
    expect(await readFile(join(workspace.root, 'mine.json'), 'utf8')).toBe('mine')
    await rm(at('servers'), { recursive: true })
    await mkdir(join(workspace.root, 'elsewhere'))
    await symlink(join(workspace.root, 'elsewhere'), at('servers'))
    await expect(check({ ...listing })).rejects.toMatchObject({ code: 'file_failed' })
  })

  it('that fits a forged lockfile must still be a listing', async () => {
    const { integrity } = (await check(listing)) as Checked
    const forged = { ...listing, tools: [{ name: 5 }] } as unknown as ServerListing
    const hashed = hashListing('files', forged)
    expect(hashed.integrity).not.toBe(integrity)
    const entry = (await client.lock.read()).entries.get(localServerName('files')) as LockedEntry
    const hash = hashed.integrity.slice('sha256-'.length, 'sha256-'.length + 8)
    await client.lock.update((lockfile) =>
      withEntry(lockfile, { ...entry, hash, integrity: hashed.integrity }),
    )
    await writeFile(at('servers', 'files.json'), JSON.stringify(forged))
    expect(await findLockedListing(client, 'files')).toBeUndefined()
  })
})

describe('a lockfile that says the server is of another kind', () => {
  it('is not trusted', async () => {
    await check(listing)
    const text = (await workspace.readLock()) ?? ''
    await writeFile(at('mcp.lock'), text.replace('"stdio"', '"http"'))
    await expect(check(listing)).rejects.toThrow(IntegrityError)
    await writeFile(at('mcp.lock'), text.replace('"client"', '"server"'))
    await expect(check(listing)).rejects.toThrow(PmlError)
  })
})

function nested(levels: number): unknown {
  return JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
}
