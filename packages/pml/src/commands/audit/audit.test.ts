import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordMany, tamper } from '../../../../../apps/server/test/audit.ts'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'

let registry: TestRegistry
let workspace: TestWorkspace
let env: { PML_API_KEY: string }

beforeAll(async () => {
  registry = await startRegistry()
  const { Authorization } = await registry.key('approve', 'read:*')
  env = { PML_API_KEY: Authorization.replace('Bearer ', '') }
  await recordMany(registry.db, 1200)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
})
afterEach(() => workspace.remove())

const inWorkspace = (file: string) => join(workspace.root, file)
const offline = { PML_REGISTRY_URL: 'http://127.0.0.1:9' }

async function exported(): Promise<{ lines: string[]; head: string }> {
  const { exit, stdout } = await workspace.run(['audit', 'export', 'log.ndjson', '--json'], { env })
  expect(exit).toBe(0)
  const { head } = JSON.parse(stdout) as { head: { seq: number; hash: string } }
  const text = await readFile(inWorkspace('log.ndjson'), 'utf8')
  return { lines: text.trimEnd().split('\n'), head: `${head.seq}:${head.hash}` }
}

async function verify(lines: readonly string[], ...flags: string[]) {
  await writeFile(inWorkspace('edited'), `${lines.join('\n')}\n`)
  const outcome = await workspace.run(['audit', 'verify-file', 'edited', '--json', ...flags], {
    env: offline,
  })
  const answer = JSON.parse(outcome.stdout) as { problems?: { seq: number | null }[] }
  return { exit: outcome.exit, ...answer }
}

describe('pml audit export', () => {
  it('writes the whole log for its owner only, and the file verifies without a registry', async () => {
    const { lines, head } = await exported()
    expect(lines.length).toBeGreaterThan(1200)
    expect((await stat(inWorkspace('log.ndjson'))).mode & 0o777).toBe(0o600)
    expect(await verify(lines, '--head', head)).toMatchObject({ exit: 0, ok: true, rows: lines.length - 2 })
  })

  it('remembers the key of the log, and refuses another one with a message that names both', async () => {
    await exported()
    const file = join(workspace.env['XDG_STATE_HOME'] ?? '', 'pml', 'log-keys.json')
    const kept = await readFile(file, 'utf8')
    const { keys } = JSON.parse(kept) as { keys: Record<string, string> }
    const [[url = '', key = ''] = []] = Object.entries(keys)
    expect(await (await registry.fetch('/audit/key')).json()).toMatchObject({ key })
    const { lines } = await exported()
    expect(await verify(lines)).toMatchObject({ exit: 0, signedBy: key, warnings: [] })
    const other = await startRegistry()
    const { key: foreign } = (await (await other.fetch('/audit/key')).json()) as { key: string }
    await other.stop()
    await writeFile(file, kept.replace(key, foreign))
    for (const command of [['export', 'log.ndjson'], ['verify'], ['head']]) {
      const { exit, stderr } = await workspace.run(['audit', ...command], { env })
      expect([exit, stderr]).toEqual([4, expect.stringContaining(key)])
      expect(stderr).toContain(foreign)
    }
    expect(await readFile(file, 'utf8')).toBe(kept.replace(key, foreign))
    expect(url).toContain(registry.url)
    const given = await workspace.run(['audit', 'verify', '--key', key, '--json'], { env })
    expect([given.exit, JSON.parse(given.stdout)]).toMatchObject([0, { ok: true, signedBy: key }])
    const wrong = await workspace.run(['audit', 'verify', '--key', foreign], { env })
    expect(wrong.exit).toBe(4)
    expect((await verify(lines, '--key', foreign)).exit).toBe(4)
    const none = await workspace.run(['audit', 'verify-file', 'edited', '--key', 'x'])
    expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('Cannot read the log key')])
  })

  it('replaces a link instead of following it', async () => {
    await writeFile(inWorkspace('victim'), 'mine')
    await symlink('victim', inWorkspace('log.ndjson'))
    await exported()
    expect(await readFile(inWorkspace('victim'), 'utf8')).toBe('mine')
  })

  it('refuses without a key, and without the scope approve', async () => {
    const { exit, stderr } = await workspace.run(['audit', 'export', '--file', 'log'])
    expect([exit, stderr]).toEqual([1, expect.stringContaining('without a key')])
    const { Authorization } = await registry.key('hook')
    const hook = { PML_API_KEY: Authorization.replace('Bearer ', '') }
    const refused = await workspace.run(['audit', 'export', '--file', 'log'], { env: hook })
    expect([refused.exit, refused.stderr]).toEqual([5, expect.stringContaining('lacks the scope approve')])
    expect(await readdir(workspace.root)).not.toContain('log')
  })

  it.each<[string, (lines: readonly string[]) => string]>([
    ['ends before its last line', (lines) => `${lines.slice(0, -1).join('\n')}\n`],
    ['ends within its last line', (lines) => lines.join('\n').slice(0, -4)],
    ['is something else', () => '<html>hello</html>\n'],
    ['is empty', () => ''],
  ])('leaves the file unchanged if the response %s', async (_, spoil) => {
    const { lines } = await exported()
    const before = await readFile(inWorkspace('log.ndjson'), 'utf8')
    const server = createServer((_request, response) => void response.end(spoil(lines)))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const outcome = await workspace.run(['audit', 'export', 'log.ndjson'], {
      env: { PML_REGISTRY_URL: `http://127.0.0.1:${port}` },
    })
    server.close()
    expect([outcome.exit, outcome.stderr]).toEqual([6, expect.stringContaining('before its last line')])
    expect(await readFile(inWorkspace('log.ndjson'), 'utf8')).toBe(before)
    expect((await readdir(workspace.root)).filter((file) => file.endsWith('.tmp'))).toEqual([])
  })

  it('reports that the registry hung up or is not there', async () => {
    const server = createServer((_request, response) => {
      response.write('{"format":"pml-audit"')
      setImmediate(() => response.destroy())
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const cut = await workspace.run(['audit', 'export', 'log'], {
      env: { PML_REGISTRY_URL: `http://127.0.0.1:${port}` },
    })
    server.close()
    expect([cut.exit, cut.stderr]).toEqual([6, expect.stringContaining('the connection broke')])
    const gone = await workspace.run(['audit', 'export', 'log'], { env: offline })
    expect([gone.exit, gone.stderr]).toEqual([6, expect.stringContaining('Cannot reach the registry')])
    expect(await readdir(workspace.root)).toEqual([])
  })
})

describe('pml audit verify', () => {
  it('exits with 4 if the log in the database fails', async () => {
    const sound = await workspace.run(['audit', 'verify', '--json'], { env })
    expect([sound.exit, JSON.parse(sound.stdout)]).toMatchObject([0, { ok: true }])
    const other = await startRegistry()
    const { Authorization } = await other.key('approve')
    const otherEnv = { PML_REGISTRY_URL: other.url, PML_API_KEY: Authorization.replace('Bearer ', '') }
    await workspace.run(['audit', 'verify'], { env: otherEnv })
    await tamper(other.db, "update audit_event set actor = 'eve' where id = 1")
    const changed = await workspace.run(['audit', 'verify', '--json'], { env: otherEnv })
    await other.stop()
    expect([changed.exit, JSON.parse(changed.stdout)]).toMatchObject([
      4,
      { ok: false, problems: [{ seq: 1 }] },
    ])
  })
})

describe('pml audit verify-file', () => {
  it('names every changed, removed, reordered, inserted or cut off row, and exits with 4', async () => {
    const { lines, head } = await exported()
    const swapped = lines.with(30, lines[31] ?? '').with(31, lines[30] ?? '')
    const edited = swapped
      .with(10, (lines[10] ?? '').replace('"writer"', '"eve"'))
      .toSpliced(50, 0, lines[40] ?? '')
      .toSpliced(20, 1)
    const verdict = await verify(edited, '--head', head)
    expect(verdict).toMatchObject({ exit: 4, error: 'integrity_mismatch' })
    expect(verdict.problems?.map(({ seq }) => seq)).toEqual([10, 20, 30, 40])
    const cut = await verify([...lines.slice(0, -3), lines.at(-1) ?? ''], '--head', head)
    expect(cut).toMatchObject({ exit: 4 })
    expect(JSON.stringify(cut)).toContain('the log was cut off')
  })

  it('prints each problem on a line for a person', async () => {
    const { lines } = await exported()
    await writeFile(inWorkspace('edited'), lines.toSpliced(7, 1).join('\n'))
    const { exit, stderr } = await workspace.run(['audit', 'verify-file', 'edited'])
    expect(exit).toBe(4)
    expect(stderr).toContain('row 7: it is missing: removed\n')
  })

  it('refuses a missing file and an invalid head', async () => {
    const missing = await workspace.run(['audit', 'verify-file', 'nothing'])
    expect([missing.exit, missing.stderr]).toEqual([2, expect.stringContaining('there is no such file')])
    const bad = await workspace.run(['audit', 'verify-file', 'x', '--head', '12'])
    expect([bad.exit, bad.stderr]).toEqual([2, expect.stringContaining('expected <seq>:<64 hex')])
  })
})
