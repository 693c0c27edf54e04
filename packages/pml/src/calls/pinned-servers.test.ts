import { appendFile, cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agreeTo } from '../../test/agree-to.ts'
import { readPinFile, startConfigured, type ConfiguredRegistry } from '../../test/configured-registry.ts'
import { startRelay, type Relay } from '../../test/relay.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import type { Approval, Called, DependencyApprovalRequired, Pml } from '../index.ts'

let registry: ConfiguredRegistry
let relay: Relay
let cacheDir: string
let workspace: TestWorkspace
let pml: Pml

const INSTALL_MS = 300_000

// Trees are installed once for all tests here: whatever they tell of another installation is a defect.
beforeAll(async () => {
  cacheDir = await realpath(await mkdtemp(join(tmpdir(), 'pml-trees-')))
  registry = await startConfigured('filesystem', 'memory', 'everything')
  await openWorkspace()
  const argv = ['add', 'filesystem', 'memory', 'everything', '--json']
  const { exit, stderr } = await workspace.run(argv, { timeoutMs: INSTALL_MS })
  expect([exit, stderr.match(/^Installing /gm)]).toEqual([0, ['Installing ', 'Installing ', 'Installing ']])
  await closeWorkspace()
}, INSTALL_MS)
afterAll(async () => {
  await registry.stop()
  await rm(cacheDir, { recursive: true })
})
beforeEach(openWorkspace)
afterEach(closeWorkspace)

async function openWorkspace(): Promise<void> {
  relay = await startRelay(registry.url)
  workspace = await makeWorkspace(relay.url)
  workspace.env['PML_CACHE_DIR'] = cacheDir
  workspace.env['UNDECLARED_WORD'] = 'must not be seen'
  await workspace.writeConfig({ permissions: { allow: ['*'] } })
  pml = await workspace.open()
}

async function closeWorkspace(): Promise<void> {
  await workspace.remove()
  await relay.stop()
}

const answer = (approval: unknown, approved = true) =>
  pml.continueWorkflow({ workflowId: (approval as Approval).workflowId, approved })
const installations = () => workspace.told.filter((message) => message.startsWith('Installing '))
const result = (called: unknown) => (called as Called).result

/** Calls, and says yes to the installation. */
async function callAgreed(tool: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const first = await pml.call(tool, args)
  return first.approvalRequired ? answer(first) : first
}

const installedFile = async (name: string) => {
  for (const tree of await readdir(join(cacheDir, 'trees'))) {
    const file = join(cacheDir, 'trees', tree, 'node_modules', '@modelcontextprotocol', name)
    if (await readFile(file).catch(() => undefined)) return file
  }
  throw new Error(`${name} is not installed`)
}

describe('a pinned server', () => {
  it('is asked about with all that would be installed, then answers from its own tree', async () => {
    await writeFile(join(workspace.root, 'hello.txt'), 'hello')
    const pin = await readPinFile('filesystem')
    const approval = (await pml.call('filesystem:list_directory', {
      path: '.',
    })) as DependencyApprovalRequired
    expect(approval).toMatchObject({
      approvalType: 'dependency',
      isPinned: true,
      package: '@modelcontextprotocol/server-filesystem',
      version: pin.version,
      commandLine: `node ${pin.bin}`,
      packages: Object.keys(pin.lock.packages).length - 1,
      installScripts: [],
      lockIntegrity: expect.stringMatching(/^sha256-/),
    })
    expect(installations()).toEqual([])
    const called = await answer(approval)
    expect(JSON.stringify(result(called))).toContain('hello.txt')
    expect(installations()).toEqual([])
    expect(await workspace.readConsent()).toMatchObject({
      'pml.mcp.filesystem.server': { kind: 'pinned', lock: approval.lockIntegrity },
    })
  })

  it('is asked about in each workspace, whatever the repository brings along', async () => {
    await callAgreed('memory:read_graph')
    const root = join(workspace.root, '..', 'copy')
    await cp(workspace.root, root, { recursive: true })
    const copy = await workspace.open({ workspace: root })
    await expect(copy.call('memory:read_graph')).rejects.toMatchObject({ code: 'not_trusted' })
    await agreeTo(root, workspace.env)
    expect(await copy.call('memory:read_graph')).toMatchObject({ approvalType: 'dependency' })
    expect(await pml.call('memory:read_graph')).toMatchObject({ approvalRequired: false })
  })

  it('may touch the workspace, and no folder beside it', async () => {
    await writeFile(join(workspace.root, '..', 'outside.txt'), 'outside')
    await expect(callAgreed('filesystem:read_text_file', { path: '../outside.txt' })).rejects.toMatchObject({
      code: 'tool_failed',
      exitCode: 1,
      message: expect.stringContaining('Access denied'),
    })
  })

  it('is installed once for all workspaces, and agreed to in each', async () => {
    await callAgreed('filesystem:list_directory', { path: '.' })
    expect(installations()).toEqual([])
    const other = await makeWorkspace(relay.url)
    other.env['PML_CACHE_DIR'] = cacheDir
    await other.writeConfig({ permissions: { allow: ['*'] } })
    const { exit, stdout } = await other.run([
      'run',
      'filesystem:list_directory',
      '--input',
      '{"path":"."}',
      '--json',
    ])
    expect([exit, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ approvalType: 'dependency' })])
    await other.remove()
  })

  it('gets the variables that it declares and those that every program needs, and no others', async () => {
    const text = JSON.stringify(result(await callAgreed('everything:get-env')))
    expect(text).toContain('PATH')
    for (const hidden of [
      'UNDECLARED_WORD',
      'must not be seen',
      'PML_REGISTRY_URL',
      'PML_CACHE_DIR',
      'PML_DENO',
    ])
      expect(text).not.toContain(hidden)
  })

  it('may keep what it learns in its tree, and can be started again', async () => {
    const entities = [{ name: 'pml', entityType: 'program', observations: ['asks'] }]
    await callAgreed('memory:create_entities', { entities })
    await pml.close()
    pml = await workspace.open()
    expect(JSON.stringify(result(await pml.call('memory:read_graph')))).toContain('asks')
  })

  it('works without the registry once it is locked and installed', async () => {
    await callAgreed('filesystem:list_directory', { path: '.' })
    await pml.close()
    await relay.stop()
    const { exit, stdout } = await workspace.run([
      'run',
      'filesystem:list_directory',
      '--input',
      '{"path":"."}',
    ])
    expect([exit, stdout]).toEqual([0, expect.stringContaining('.pml.json')])
  })

  it('with another byte in an installed file is not started, and the file is named', async () => {
    await callAgreed('everything:echo', { message: 'x' })
    await pml.close()
    const file = await installedFile('server-everything/package.json')
    const whole = await readFile(file)
    await appendFile(file, ' ')
    try {
      pml = await workspace.open()
      await expect(pml.call('everything:echo', { message: 'x' })).rejects.toMatchObject({
        code: 'integrity_mismatch',
        exitCode: 4,
        message: expect.stringContaining('server-everything/package.json: expected sha256-'),
      })
    } finally {
      await writeFile(file, whole)
    }
    expect(await pml.call('everything:echo', { message: 'x' })).toMatchObject({ approvalRequired: false })
  })

  it('that becomes another package is asked about as a change, then as a package', async () => {
    await callAgreed('memory:read_graph')
    const pin = await readPinFile('everything')
    const entry = {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-everything'],
      description: 'x',
    }
    await registry.writePin('memory', { ...pin, server: 'memory' }).catch(() => undefined)
    await registry.writeServer('memory', entry)
    const changed = await pml.call('memory:echo', { message: 'x' })
    expect(changed).toMatchObject({ approvalType: 'integrity', fqdn: 'pml.mcp.memory.server' })
    const other = await answer(changed)
    expect(other).toMatchObject({
      approvalType: 'dependency',
      package: '@modelcontextprotocol/server-everything',
    })
    await expect(answer(other, false)).rejects.toMatchObject({ code: 'rejected', exitCode: 4 })
    await registry.reset('memory')
  })

  it(
    'in another version needs a yes to the change, and none to the package',
    async () => {
      await callAgreed('memory:read_graph')
      const pin = await readPinFile('memory')
      const { ['node_modules/which']: which } = pin.lock.packages
      pin.lock.packages['node_modules/which'] = { ...which, license: 'other' }
      await registry.writePin('memory', pin)
      const changed = await pml.call('memory:read_graph')
      expect(changed).toMatchObject({ approvalType: 'integrity' })
      expect(await answer(changed)).toMatchObject({ approvalRequired: false })
      expect(installations()).toHaveLength(1)
      await registry.reset('memory')
    },
    INSTALL_MS,
  )
})
