import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerWith } from '../apps/server/test/approvals.ts'
import { rootDir } from '../apps/server/test/paths.ts'
import { startRegistry, type TestRegistry } from '../apps/server/test/registry.ts'
import { shellIn } from './shell-in.ts'

const run = promisify(execFile)

let registry: TestRegistry
let folder: string
let adminKey: string

beforeAll(async () => {
  registry = await startRegistry({ configDir: join(rootDir, 'config') })
  folder = await mkdtemp(join(tmpdir(), 'pml-pages-'))
  adminKey = (await callerWith(registry, ['admin'])).key
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'data', 'admin-key'), `${adminKey}\n`)
})
afterAll(async () => {
  await registry.stop()
  await rm(folder, { recursive: true })
})

/** The JSON documents that the commands print. */
async function printed(script: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder })
  return stdout
    .replaceAll('}{', '}\n{')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the commands of the pages', () => {
  it('block, approve, spend once, reject, add a pattern, check and report', async () => {
    const page = await shellIn('docs/walkthrough.md', 'Approve what agents change')
    const script = page.replace('api=localhost:3000', `api=${registry.url}`)
    expect(await printed(script)).toMatchObject([
      { token: expect.stringMatching(/^TESTGUARD-/), instruction: expect.any(String) },
      { approved: true, via: 'token', specialist: 'testguard' },
      { error: 'already_used' },
      { decision: 'rejected', suggestion: 'Assert the error' },
      { error: 'rejected' },
      { kind: 'approve', type: 'test', warnings: [] },
      { approved: true, via: 'pattern' },
      { totals: { blocked: 2, rejected: 1, used: 1 }, rejectionReasons: [{ reason: 'specifies nothing' }] },
    ])
  })
})

describe('the same loop over MCP, with an ordinary client', () => {
  it('ends with the write allowed once', async () => {
    const clientFor = async (key: string) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      const requestInit = { headers: { Authorization: `Bearer ${key}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', registry.url), { requestInit }))
      return async (name: string, args: Record<string, unknown>) => {
        const { structuredContent, isError, content } = await client.callTool({ name, arguments: args })
        const [said] = content as { text: string }[]
        return (isError === true ? { failed: said?.text } : structuredContent) as Record<string, unknown>
      }
    }
    const agent = await clientFor((await callerWith(registry, ['hook'])).key)
    const guard = await clientFor((await callerWith(registry, ['approve', 'pattern'], 'testguard')).key)
    const write = { path: 'src/mcp.test.ts', content: "expect(boot()).rejects.toThrow('no disk')\n" }
    const blocked = await agent('approval_block', { tool: 'Write', ...write, agent: 'builder' })
    const of = { blocked_file: write.path, content_hash: blocked['contentHash'] }
    expect(await guard('approval_list', { agent: 'builder' })).toMatchObject({
      changes: [{ id: blocked['id'], status: 'blocked' }],
    })
    expect(await guard('approval_show', { id: blocked['id'] })).toMatchObject({ content: write.content })
    const wrong = await guard('registry_approve_change', { ...of, approver: 'somebody', reason: 'fine' })
    expect(wrong['failed']).toContain("the key belongs to 'testguard'")
    const approved = await guard('registry_approve_change', { ...of, approver: 'testguard', reason: 'fine' })
    expect(approved).toMatchObject({ token: expect.stringMatching(/^TESTGUARD-/) })
    expect(await agent('registry_check_approval', { content_hash: of.content_hash })).toMatchObject({
      approved: true,
    })
    const { token } = approved
    expect(await agent('approval_spend', { ...write, token })).toMatchObject({ approved: true, via: 'token' })
    expect((await agent('approval_spend', { ...write, token }))['failed']).toContain('was used')
    const bad = { path: 'src/mcp.test.ts', content: 'expect(true).toBe(false)\n' }
    await agent('approval_block', { tool: 'Write', ...bad })
    const no = { rejector: 'testguard', reason: 'empty', education: 'Say what should happen' }
    expect(await guard('registry_reject_change', { blocked_file: bad.path, ...no })).toMatchObject({
      decision: 'rejected',
      education: 'Say what should happen',
    })
    const pattern = { pattern_type: 'test', pattern: "^expect\\(disk\\(\\)\\)\\.toBe\\('\\w+'\\)$" }
    const example = { reason: 'precise', example: "expect(disk()).toBe('full')" }
    expect(await guard('registry_add_pattern', { ...pattern, ...example })).toMatchObject({ kind: 'approve' })
    expect(
      await agent('registry_check_approval', { content: "expect(disk()).toBe('empty')\n", path: write.path }),
    ).toMatchObject({ approved: true, via: 'pattern' })
    expect(await guard('audit_verify', {})).toMatchObject({ ok: true })
    expect(await guard('audit_report', {})).toMatchObject({ totals: expect.any(Object) })
  })
})
