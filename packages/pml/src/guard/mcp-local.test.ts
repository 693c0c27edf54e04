import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalLaunch } from '@pml/core/local-servers'
import { beforeEach, describe, expect, it } from 'vitest'
import { hookedProject, type HookedProject } from '../../test/hook-place.ts'
import { openClient } from '../calls/open-client.ts'
import { processOps } from '../machine/ops.ts'
import { checkListing } from '../servers/listing/check-listing.ts'
import { listingOf } from '../servers/listing/server-listing.ts'

const command: LocalLaunch = {
  kind: 'stdio',
  command: 'node',
  args: ['tools/server.mjs', '--token', '${TOKEN}'],
  env: { TOKEN: '${TOKEN}', NODE_OPTIONS: '--no-warnings' },
  cwd: undefined,
}
const written = { command: 'node', args: ['tools/server.mjs', '--token', '${TOKEN}'] }

let project: HookedProject
beforeEach(() => {
  project = hookedProject()
})

/** Locked by a real client. */
async function lock(launch: LocalLaunch = command): Promise<void> {
  const ops = { ...processOps(), env: { PML_REGISTRY_URL: 'http://127.0.0.1:9/' }, cacheHome: project.cache }
  const client = await openClient(ops, { workspace: project.root, frozen: false })
  const listing = listingOf({ launch }, { instructions: undefined, tools: [] })
  await checkListing(client, 'files', { listing, operation: { kind: 'open-server', server: 'files' } })
  await client.close()
}

async function verdict(server: object): Promise<string> {
  project.write('.mcp.json', JSON.stringify({ mcpServers: { files: server } }))
  const { exitCode, stderr } = await project.call('mcp__files__read', {})
  return exitCode === 0 ? 'passes' : (/^BLOCKED::(\w+)/.exec(stderr)?.[1] ?? stderr)
}

describe('a local server in the configuration of an agent', () => {
  it('passes when it is started exactly as it is locked', async () => {
    expect(await verdict(written)).toBe('MCP_UNLOCKED')
    await lock()
    expect(await verdict(written)).toBe('passes')
  })

  it('passes with a value for a variable that is locked', async () => {
    await lock()
    expect(await verdict({ ...written, env: { TOKEN: 'abc' } })).toBe('passes')
  })

  it('is asked about when it changed between two calls', async () => {
    await lock()
    expect(await verdict(written)).toBe('passes')
    expect(await verdict({ ...written, env: { TOKEN: 'abc' } })).toBe('GUARD_CHANGED')
  })

  it.each<[string, object]>([
    ['another command', { ...written, command: 'deno' }],
    ['another argument', { ...written, args: [...written.args, '--all'] }],
    ['an argument less', { ...written, args: ['tools/server.mjs'] }],
    ['another value of an argument', { ...written, args: ['tools/server.mjs', '--token', 'x'] }],
    [
      'a character that cannot be seen',
      { ...written, args: ['tools/server.mjs\u{200b}', '--token', '${TOKEN}'] },
    ],
    ['a variable that is not locked', { ...written, env: { LD_PRELOAD: './x.so' } }],
    [
      'a variable that makes it load more, locked or not',
      { ...written, env: { NODE_OPTIONS: '--import=./x.mjs' } },
    ],
    ['another folder', { ...written, cwd: 'elsewhere' }],
    ['an address', { url: 'https://files.example/mcp' }],
  ])('is refused with %s', async (_what, server) => {
    await lock()
    expect(await verdict(server)).toBe('MCP_CHANGED')
  })

  it('that is an address passes at that address alone', async () => {
    await lock({ kind: 'http', url: 'https://files.example/mcp', headers: { Authorization: 'x' } })
    expect(await verdict({ url: 'https://files.example/mcp', headers: { Authorization: 'x' } })).toBe(
      'passes',
    )
    for (const other of [
      { url: 'https://files.example/other' },
      { url: 'https://evil.example/mcp' },
      written,
    ])
      expect(await verdict(other)).toBe('MCP_CHANGED')
  })

  it('is refused where it is locked to a folder of its own', async () => {
    await lock({ ...command, cwd: 'tools' })
    expect(await verdict(written)).toBe('MCP_CHANGED')
  })

  it('is refused when its listing is not the locked one', async () => {
    await lock()
    const path = join(project.root, '.pml', 'servers', 'files.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"node"', '"evil"'))
    expect(await verdict({ ...written, command: 'evil' })).toBe('MCP_CHANGED')
    expect(await verdict(written)).toBe('MCP_CHANGED')
  })

  it('is refused once a rule denies it, or none wants it', async () => {
    await lock()
    project.write('.pml.json', JSON.stringify({ permissions: { allow: ['files:*'] } }))
    expect(await verdict(written)).toBe('passes')
    project.write('.pml.json', JSON.stringify({ permissions: { allow: ['other:*'] } }))
    expect(await verdict(written)).toBe('MCP_UNLOCKED')
    project.write('.pml.json', JSON.stringify({ permissions: { allow: ['*'], deny: ['files:*'] } }))
    expect(await verdict(written)).toBe('MCP_DENIED')
  })
})
