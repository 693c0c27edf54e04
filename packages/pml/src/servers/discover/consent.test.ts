import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LocalLaunch } from '@pml/core/local-servers'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { DependencyApprovalRequired } from '../../api/approval.ts'
import { limitsOf } from '../../calls/call-parts.ts'
import { openClient, type Client } from '../../calls/open-client.ts'
import { processOps } from '../../machine/ops.ts'
import { continueWorkflow } from '../../calls/continue-workflow.ts'
import { findConsent } from './consent.ts'
import type { ServerScope } from '../../workspace/server-places.ts'

/** The first half of the SHA-256 of hunter2. */
const hidden = '(secret f52fbd32b2b3b86ff88ef6c490628285)'
const operation = { kind: 'open-server', server: 'files' } as const
const launch = {
  kind: 'stdio',
  command: 'node',
  args: ['server.js', 'a b'],
  env: { TOKEN: 'hunter2' },
  cwd: undefined,
} as const

let workspace: TestWorkspace
let client: Client

beforeEach(async () => {
  workspace = await makeWorkspace('http://127.0.0.1:9/')
  const { env } = workspace
  const ops = { ...processOps(), env, cacheHome: workspace.cacheDir }
  client = await openClient(ops, { workspace: workspace.root })
})
afterEach(async () => {
  await client.close()
  await workspace.remove()
})

const ask = (changed: LocalLaunch = launch, scope: ServerScope = 'project') =>
  findConsent(client, { name: 'files', scope, file: '.mcp.json', launch: changed }, operation)

/** The line that a person says yes or no to. */
async function lineOf(changed: LocalLaunch): Promise<string> {
  return ((await ask(changed)) as DependencyApprovalRequired).commandLine
}

/** The yes is kept, whatever becomes of the server: here no file has it any more. */
async function agreeTo(changed: LocalLaunch): Promise<void> {
  const { workflowId } = (await ask(changed)) as DependencyApprovalRequired
  const yes = continueWorkflow(client, { workflowId, approved: true, given: { by: 'terminal' } }, limitsOf())
  await expect(yes).rejects.toMatchObject({ code: 'unknown_server' })
}

describe('a server that came with a repository', () => {
  it.each(['project', 'workspace'] as const)(
    'is shown to the letter before it is started (%s)',
    async (scope) => {
      expect(await ask(launch, scope)).toMatchObject({
        approvalRequired: true,
        approvalType: 'dependency',
        fqdn: 'local.mcp.files.server',
        isPinned: false,
        commandLine: `node server.js "a b" (variables TOKEN=${hidden})`,
        description: `files is configured in this workspace (.mcp.json). To use it, this command is run on this machine: node server.js "a b" (variables TOKEN=${hidden})`,
      })
      expect(JSON.stringify(await client.approvals.list())).not.toContain('hunter2')
    },
  )

  it('is started without asking once a person has said yes, until anything of it changes', async () => {
    await agreeTo(launch)
    expect(await ask()).toBeUndefined()
    const changes: LocalLaunch[] = [
      { ...launch, command: 'deno' },
      { ...launch, args: ['server.js', 'a', 'b'] },
      { ...launch, args: ['a b', 'server.js'] },
      { ...launch, args: ['server.js', 'a b\u{200b}'] },
      { ...launch, env: { ...launch.env, HOME: '/' } },
      { ...launch, env: {} },
      { ...launch, env: { TOKEN: 'another' } },
      { ...launch, env: { TOKEN: '${AWS_SECRET_ACCESS_KEY}' } },
      { ...launch, env: { TOKEN: 'ghp_123456789${AWS_SECRET_ACCESS_KEY}' } },
      { ...launch, cwd: 'elsewhere' },
      { ...launch, env: {}, args: [...launch.args, '(variables', 'TOKEN)'] },
      { kind: 'http', url: 'https://a.example/mcp', headers: {} },
    ]
    const lines = await Promise.all(changes.map(lineOf))
    expect(new Set([...lines, await lineOf({ ...launch, args: [] })]).size).toBe(changes.length + 1)
    await agreeTo({ ...launch, command: 'deno' })
    expect(await ask()).toMatchObject({ approvalType: 'dependency' })
  })

  it('is asked about in each workspace, whatever the repository brings along', async () => {
    await agreeTo(launch)
    const root = join(workspace.cacheDir, 'copy')
    await cp(workspace.root, root, { recursive: true })
    const other = await openClient(client.ops, { workspace: root })
    const found = { name: 'files', scope: 'project', file: '.mcp.json', launch } as const
    expect(await findConsent(other, found, operation)).toMatchObject({ approvalType: 'dependency' })
    await other.close()
  })

  it('is asked about again after a no', async () => {
    const { workflowId } = (await ask()) as DependencyApprovalRequired
    const no = continueWorkflow(
      client,
      { workflowId, approved: false, given: { by: 'terminal' } },
      limitsOf(),
    )
    await expect(no).rejects.toMatchObject({ code: 'rejected' })
    expect(await ask()).toMatchObject({ approvalType: 'dependency' })
  })

  it('is shown with what variables load', async () => {
    const env = { NODE_OPTIONS: '--max-old-space-size=100', TOKEN: 'hunter2' }
    await agreeTo({ ...launch, env })
    expect(await ask({ ...launch, env })).toBeUndefined()
    expect(await lineOf({ ...launch, env: { ...env, NODE_OPTIONS: '--require ./x.js' } })).toBe(
      `node server.js "a b" (variables NODE_OPTIONS="--require ./x.js" TOKEN=${hidden})`,
    )
  })

  it('is shown with which variables of the person it gets, and asked about again when these are others', async () => {
    const env = { LEVEL: 'info', API: 'https://api.example', KEY: '${KEY}' }
    await agreeTo({ ...launch, env })
    expect(await ask({ ...launch, env })).toBeUndefined()
    expect(await lineOf({ ...launch, env: { ...env, LEVEL: 'ghp_123456789${OTHER_SECRET}' } })).toBe(
      'node server.js "a b" (variables API="https://api.example" KEY="${KEY}" LEVEL="ghp_123456789${OTHER_SECRET}")',
    )
    for (const API of ['https://other.example', 'https://me:hunter2@other.example'])
      expect(await ask({ ...launch, env: { ...env, API } })).toMatchObject({ approvalType: 'dependency' })
  })

  it('is an address with its headers', async () => {
    const headers = { Authorization: 'Bearer ${KEY}', 'X-Key': 'hunter2' }
    expect(await ask({ kind: 'http', url: 'https://a.example/mcp', headers })).toMatchObject({
      commandLine: `https://a.example/mcp (headers Authorization="Bearer \${KEY}" X-Key=${hidden})`,
      description: expect.stringContaining('this address is called'),
    })
  })
})

describe("a server of a person's own files", () => {
  it.each(['user', 'path'] as const)('needs no word (%s)', async (scope) => {
    expect(await ask(launch, scope)).toBeUndefined()
    expect(await client.approvals.list()).toEqual([])
  })
})
