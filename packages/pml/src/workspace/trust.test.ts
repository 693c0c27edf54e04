import { cp, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../apps/server/test/registry.ts'
import { startPeer } from '../../test/peer.ts'
import { openPublisher, saying, type Publisher } from '../../test/publisher.ts'
import { listed, makeServedPlace, textIn, tool } from '../../test/served.ts'
import { hasTerminal, runOnTerminal } from '../../test/terminal.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const bin = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
const NAME = 'acme.tools.text.shout'
const OTHER = 'acme.tools.text.whisper'

let registry: TestRegistry
let publisher: Publisher
let workspace: TestWorkspace

beforeAll(async () => {
  registry = await startRegistry()
  publisher = await openPublisher(registry)
  await publisher.publish(NAME, saying('loud'))
  await publisher.publish(OTHER, saying('quiet'))
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
})
afterEach(() => workspace.remove())

const stranger = { permissions: { allow: ['text:shout'] }, grants: { 'text:shout': { net: true } } }
const trustFolder = () => join(workspace.env['XDG_STATE_HOME'] ?? '', 'pml', 'trust')
const trustFiles = () => readdir(trustFolder()).catch(() => [])

async function json(
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const { exit, stdout } = await workspace.run([...argv, '--json'], { env })
  return { exit, ...(JSON.parse(stdout) as Record<string, unknown>) }
}
const run = (env?: Record<string, string>) => json(['run', 'text:shout'], env)
const status = () => json(['trust', '--status'])

describe('a .pml.json that came with a repository', () => {
  beforeEach(() => workspace.writeForeignConfig(stranger))

  it('runs nothing, and the error says what to do', async () => {
    const { exit, error, message } = await run()
    expect({ exit, error }).toEqual({ exit: 5, error: 'not_trusted' })
    expect(message).toMatch(
      /^Cannot run anything here: you have not agreed to the permissions in \.pml\.json .*"pml trust"$/,
    )
    const pml = await workspace.open()
    await expect(pml.call('text:shout')).rejects.toMatchObject({ code: 'not_trusted' })
    expect(await trustFiles()).toEqual([])
  })

  it('lets everything be fetched, locked and listed, as if each use was asked about', async () => {
    expect((await workspace.run(['fetch', NAME])).exit).toBe(0)
    for (const argv of [['sync'], ['lock', 'show'], ['lock', 'verify'], ['outdated']])
      expect([argv, (await workspace.run(argv)).exit]).toEqual([argv, 0])
    expect(await json(['list'])).toMatchObject({ exit: 0, entries: [{ rule: 'ask' }] })
    expect(await workspace.readLock()).toContain(NAME)
  })

  it('is agreed to by "pml trust --yes", which shows it; the agreement is for its owner only', async () => {
    const { exit, stdout, stderr } = await workspace.run(['trust', '--yes'])
    expect([exit, stdout]).toEqual([
      0,
      expect.stringContaining(`${workspace.root}: trusted: you agreed to it`),
    ])
    expect(stderr).toContain('  + allow "text:shout"\n  + grant "text:shout" net everything\n')
    expect(stderr).toContain('without any limit: grant "text:shout" net everything')
    expect(await run()).toMatchObject({ exit: 0, result: 'loud' })
    const [file = ''] = await trustFiles()
    expect((await stat(join(trustFolder(), file))).mode & 0o777).toBe(0o600)
    expect((await stat(trustFolder())).mode & 0o777).toBe(0o700)
    expect(await readdir(workspace.root)).not.toContain('trust')
  })

  it('is not agreed to without a terminal', async () => {
    expect(await json(['trust'])).toMatchObject({ exit: 5, error: 'not_trusted' })
    expect((await workspace.run(['trust'], { stdin: 'y\n' })).exit).toBe(5)
    expect(await trustFiles()).toEqual([])
  })

  it('is explained by --status, which agrees to nothing', async () => {
    expect(await status()).toMatchObject({
      exit: 0,
      isTrusted: false,
      unagreed: ['allow "text:shout"', 'grant "text:shout" net everything'],
    })
    expect((await workspace.run(['trust', '--status', '--yes'])).exit).toBe(0)
    expect(await run()).toMatchObject({ error: 'not_trusted' })
  })

  it('asks again when it gives more, and shows what is new', async () => {
    await workspace.run(['trust', '--yes'])
    await workspace.writeForeignConfig({ ...stranger, permissions: { allow: ['text:shout', 'shell:*'] } })
    const { exit, message } = await run()
    expect([exit, message]).toEqual([5, expect.stringContaining('since it changed')])
    expect(await status()).toMatchObject({ unagreed: ['allow "shell:*"'] })
    expect((await workspace.run(['trust', '--status'])).stdout).toContain(
      '    allow "text:shout"\n  + allow "shell:*"\n',
    )
    await workspace.writeForeignConfig(stranger)
    expect(await run()).toMatchObject({ exit: 0 })
  })

  it('is another one in another folder, and an agreement cannot be taken there', async () => {
    await workspace.run(['trust', '--yes'])
    const moved = join(workspace.root, '..', 'moved')
    await rename(workspace.root, moved)
    const at = (argv: string[]) => workspace.run(argv, { cwd: moved })
    expect((await at(['run', 'text:shout'])).exit).toBe(5)
    const [first = ''] = await trustFiles()
    await at(['trust', '--yes'])
    const second = (await trustFiles()).find((name) => name !== first) ?? ''
    await cp(join(trustFolder(), first), join(trustFolder(), second))
    expect(await at(['run', 'text:shout'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('remove it, then run "pml trust"'),
    })
    await mkdir(workspace.root)
  })

  it('is the same through a link to the folder', async () => {
    await workspace.run(['trust', '--yes'])
    const link = join(workspace.root, '..', 'link')
    await symlink(workspace.root, link)
    expect((await workspace.run(['run', 'text:shout', '--workspace', link])).exit).toBe(0)
  })

  it('is not trusted by a link that a repository could never write, nor by half a file', async () => {
    await workspace.run(['trust', '--yes'])
    const [file = ''] = await trustFiles()
    await writeFile(join(trustFolder(), file), '{"version": 1')
    expect(await run()).toMatchObject({ exit: 2, error: 'invalid_config' })
    await rename(join(trustFolder(), file), join(trustFolder(), 'aside'))
    await symlink('aside', join(trustFolder(), file))
    expect((await run()).exit).not.toBe(0)
  })

  it('runs in CI where the operator says so, and nothing is kept', async () => {
    expect(await run({ PML_TRUST_WORKSPACE: '1' })).toMatchObject({ exit: 0, result: 'loud' })
    expect(await trustFiles()).toEqual([])
    expect(await run({ PML_TRUST_WORKSPACE: '0' })).toMatchObject({ exit: 5 })
    expect(await run({ PML_TRUST_WORKSPACE: 'yes' })).toMatchObject({
      exit: 2,
      message: expect.stringContaining('PML_TRUST_WORKSPACE: expected 1 or 0'),
    })
  })

  it.runIf(process.platform === 'linux')(
    'is not trusted where an agent itself set the variable',
    async () => {
      const agent = join(workspace.root, '..', 'claude')
      const statusBy = async (line: string, env: Record<string, string> = {}) => {
        await writeFile(agent, `#!/bin/sh\n${line}; :\n`, { mode: 0o755 })
        const { stdout } = spawnSync(agent, [process.execPath, bin, 'trust', '--status', '--json'], {
          cwd: workspace.root,
          env: { ...workspace.env, ...env },
          encoding: 'utf8',
        })
        return JSON.parse(stdout) as Record<string, unknown>
      }
      expect(await statusBy('"$@"', { PML_TRUST_WORKSPACE: '1' })).toMatchObject({ isTrusted: true })
      expect(await statusBy('PML_TRUST_WORKSPACE=1 "$@"')).toMatchObject({
        isTrusted: false,
        why: 'PML_TRUST_WORKSPACE=1 does not count: Claude Code was started without it; look at .pml.json and agree with "pml trust"',
      })
    },
  )

  it('is not agreed to by "pml init" without a terminal', async () => {
    const { exit, stderr } = await workspace.run(['init'])
    expect([exit, stderr]).toEqual([0, expect.stringContaining('None of it is used yet')])
    expect(await run()).toMatchObject({ exit: 5 })
  })

  it('is a finding of the doctor', async () => {
    const { findings } = (await json(['doctor'])) as {
      findings: { check: string; isOk: boolean }[]
    }
    expect(findings.find(({ check }) => check === 'trust')).toMatchObject({
      isOk: false,
      message: expect.stringContaining('"pml trust"'),
    })
  })
})

describe('a .pml.json that gives nothing', () => {
  it.each([
    ['none', undefined],
    ['one that only asks and denies', { permissions: { ask: ['*'], deny: ['shell'] } }],
  ])('needs no agreement: %s', async (_what, config) => {
    if (config) await workspace.writeForeignConfig(config)
    expect(await run()).toMatchObject({ exit: 3, approvalType: 'tool_permission' })
    expect(await json(['trust'])).toMatchObject({ exit: 0, isTrusted: true })
  })
})

describe('what the person does with pml', () => {
  it('is agreed to: pml init, pml add, pml remove', async () => {
    await workspace.run(['init'])
    await workspace.run(['add', NAME])
    expect(await run()).toMatchObject({ exit: 0, result: 'loud' })
    await workspace.run(['remove', NAME])
    expect(await status()).toMatchObject({ isTrusted: true })
    await workspace.writeForeignConfig(stranger)
    expect(await run()).toMatchObject({ exit: 5 })
  })

  it('is agreed to, and nothing that changed meanwhile', async () => {
    await workspace.run(['add', NAME])
    const file = join(workspace.root, '.pml.json')
    const config = JSON.parse(await readFile(file, 'utf8')) as { permissions: { allow: string[] } }
    config.permissions.allow.push('shell:*')
    await writeFile(file, JSON.stringify(config))
    expect((await workspace.run(['add', OTHER])).exit).toBe(0)
    expect(await status()).toMatchObject({ isTrusted: false, unagreed: ['allow "shell:*"'] })
    expect(await run()).toMatchObject({ exit: 5 })
  })

  it('leaves a rule of a stranger where it was when adding fails', async () => {
    await workspace.writeForeignConfig({ permissions: { allow: ['text:nothing'] } })
    expect((await workspace.run(['add', 'acme.tools.text.nothing'])).exit).not.toBe(0)
    expect(await readFile(join(workspace.root, '.pml.json'), 'utf8')).toContain('text:nothing')
  })

  it('is agreed to by an "always" answer', async () => {
    const { workflowId } = await run()
    await workspace.run(['continue', String(workflowId), '--approve', '--always'])
    expect(await run()).toMatchObject({ exit: 0, result: 'loud' })
  })
})

describe('cloud.url of a repository', () => {
  it('is not used before it is agreed to, and then without the key, on this machine too', async () => {
    const peer = await startPeer((response) => void response.writeHead(404).end('{}'))
    try {
      await workspace.writeForeignConfig({ cloud: { url: peer.url } })
      const env = { PML_REGISTRY_URL: '', PML_API_KEY: 'pml_key_secret' }
      const fetchIt = () => workspace.run(['fetch', NAME], { env })
      expect((await fetchIt()).stderr).toContain('cloud.url of .pml.json is ignored until you agree to it')
      expect(peer.seen).toEqual([])
      await workspace.run(['trust', '--yes'], { env })
      expect((await fetchIt()).stderr).toContain(`PML_API_KEY is not sent to ${peer.url}`)
      expect(peer.seen).toHaveLength(1)
      expect(peer.seen[0]?.headers['authorization']).toBeUndefined()
    } finally {
      await peer.stop()
    }
  })
})

describe('the gateway', () => {
  it('lists tools and runs none before the person agreed, and needs no new start then', async () => {
    const place = await makeServedPlace()
    try {
      await place.server('one', [tool('echo')])
      await place.config({ allow: ['*'] })
      const before = await place.serve()
      await listed(before, 'one__echo')
      await before.close()
      await writeFile(join(place.root, '.pml.json'), '{"permissions": {"allow": ["*", "one"]}}')
      const served = await place.serve()
      await listed(served, 'one__echo')
      const echo = () => served.client.callTool({ name: 'one__echo', arguments: { message: 'hi' } })
      expect(JSON.stringify(await echo())).toContain('agree with \\"pml trust\\"')
      expect(served.stderr.join('')).toContain('Tools are listed but cannot run')
      await place.run('trust', '--yes')
      expect(textIn(await echo())).toBe('Echo: hi')
    } finally {
      await place.remove()
    }
  })
})

describe.skipIf(!hasTerminal)('on a terminal', () => {
  beforeEach(() => workspace.writeForeignConfig(stranger))

  it.each([
    ['trust', 'y\r', true],
    ['trust', 'n\r', false],
    ['trust', '\r', false],
    ['init', 'y\r', true],
    ['init', 'n\r', false],
  ])('pml %s asks, and %j is heard', async (command, keys, isTrusted) => {
    const { exit, text } = await runOnTerminal(workspace, [command], [keys])
    expect([exit, text]).toEqual([0, expect.stringContaining('  + allow "text:shout"')])
    expect(await status()).toMatchObject({ isTrusted })
  })

  it('covers the content that was shown, not later content of the file', async () => {
    const { text } = await runOnTerminal(workspace, ['trust'], ['y\r'])
    expect(text).not.toContain('shell')
    await workspace.writeForeignConfig({ permissions: { allow: ['shell:*'] } })
    expect(await status()).toMatchObject({ unagreed: ['allow "shell:*"'] })
  })

  it('characters that cannot be seen are shown', async () => {
    await workspace.writeForeignConfig({
      grants: { 'text:shout': { read: ['a\u{202e}\u{200b}\u{1b}[2Jb'] } },
    })
    const { text } = await runOnTerminal(workspace, ['trust'], ['n\r'])
    for (const hidden of ['\u{202e}', '\u{200b}', '\u{1b}[2J']) expect(text).not.toContain(hidden)
  })
})
