import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCatalog } from '../../../test/catalog.ts'
import { startConfigured, type ConfiguredRegistry } from '../../../test/configured-registry.ts'
import { hasTerminal, runOnTerminal } from '../../../test/terminal.ts'
import { copyCommand, makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'

const INSTALL_MS = 300_000
const MODULE = 'acme.tools.text.shout'

let registry: ConfiguredRegistry
let workspace: TestWorkspace

beforeAll(async () => {
  registry = await startConfigured('memory', 'sequential-thinking', 'tavily')
  const catalog = await openCatalog(registry)
  await catalog.command('snake', ['uvx', 'some-server'])
  await catalog.command('boxed', ['docker', 'run', 'x'])
  await catalog.command('far', ['node', 'x.mjs'], { envRequired: ['FAR_KEY'] })
  await catalog.code(MODULE, 'export default () => "loud"\n')
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  workspace.env['HOME'] = join(workspace.root, '..')
})
afterEach(() => workspace.remove())

/** A machine without Deno: the PATH has only Node and npm. */
const noDeno = () => ({ PML_DENO: '', PATH: join(process.execPath, '..') })

describe('pml add', () => {
  it('in an empty folder writes the same files as pml init', async () => {
    const other = await makeWorkspace(registry.url)
    try {
      await other.run(['init'])
      expect((await workspace.run(['add', MODULE])).exit).toBe(0)
      const read = ({ root }: TestWorkspace, file: string) => readFile(join(root, file), 'utf8')
      expect(await read(workspace, '.gitignore')).toBe(await read(other, '.gitignore'))
      const config = JSON.parse(await read(workspace, '.pml.json')) as Record<string, unknown>
      expect(config).toMatchObject({
        ...(JSON.parse(await read(other, '.pml.json')) as object),
        permissions: { allow: ['text:shout'] },
      })
      expect((await readdir(join(workspace.root, '.pml'))).sort()).toEqual(['client-id', 'mcp.lock'])
    } finally {
      await other.remove()
    }
  })

  it('keeps an existing workspace unchanged', async () => {
    await workspace.writeConfig({ permissions: { allow: ['*'] } })
    expect((await workspace.run(['add', MODULE])).exit).toBe(0)
    expect(await readdir(workspace.root)).not.toContain('.gitignore')
  })

  it('names what is missing before it adds anything: a program, a key', async () => {
    const { exit, stdout, stderr } = await workspace.run(['add', 'snake', 'boxed', 'far', '--json'], {
      env: noDeno(),
    })
    expect(exit).toBe(0)
    const { warnings } = JSON.parse(stdout) as { warnings: string[] }
    expect(warnings).toEqual([
      expect.stringMatching(/snake.*uvx, which is not installed; see https:/),
      expect.stringMatching(/boxed.*docker, which is not installed; see https:/),
      expect.stringMatching(/far.*needs FAR_KEY/),
    ])
    for (const warning of warnings) expect(stderr).toContain(warning)
    const quiet = await workspace.run(['add', 'far', '--json'], { env: { FAR_KEY: 'x' } })
    expect(JSON.parse(quiet.stdout)).not.toHaveProperty('warnings')
  })

  it('names a missing Deno, and installs nothing without being asked', async () => {
    const { exit, stdout } = await workspace.runAsUser(['add', MODULE, '--json'], { env: noDeno() })
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      warnings: [expect.stringMatching(/runs in Deno.*--install-deno/)],
    })
    expect(await readdir(workspace.env['XDG_STATE_HOME'] ?? '').catch(() => [])).not.toContain('deno')
  })

  it(
    'installs Deno from npm on request, and then uses it',
    async () => {
      const env = noDeno()
      const { exit, stderr } = await workspace.runAsUser(['add', MODULE, '--install-deno'], {
        env,
        timeoutMs: INSTALL_MS,
      })
      expect([exit, stderr]).toEqual([0, expect.stringContaining('Installed Deno at ')])
      const found = await workspace.runAsUser(['run', MODULE], { env })
      expect(found).toMatchObject({ exit: 0, stdout: 'loud\n' })
    },
    INSTALL_MS,
  )

  it.runIf(hasTerminal)('offers that on a terminal, and a no is a no', async () => {
    Object.assign(workspace.env, noDeno())
    const command = await copyCommand(join(workspace.root, '..', 'command'))
    const { exit, text } = await runOnTerminal(workspace, ['add', MODULE], ['n\n'], command)
    expect([exit, text]).toEqual([0, expect.stringContaining('Install deno 2.9.6 from npm')])
    expect(text).not.toContain('Installed Deno')
  })

  it(
    'installs several concurrently, and shows progress',
    async () => {
      const { exit, stderr } = await workspace.run(['add', 'memory', 'sequential-thinking'], {
        timeoutMs: INSTALL_MS,
      })
      expect(exit).toBe(0)
      const lines = stderr.split('\n').filter((line) => line.startsWith('Install'))
      expect(lines.slice(0, 2).every((line) => line.startsWith('Installing '))).toBe(true)
      expect(lines.slice(2)).toEqual([
        expect.stringMatching(/^Installed \S+ \(1 of 2\)$/),
        expect.stringMatching(/^Installed \S+ \(2 of 2\)$/),
      ])
    },
    INSTALL_MS,
  )

  it('adds the other entries if one fails, and reports the failure', async () => {
    const { exit, stderr } = await workspace.run(['add', MODULE, 'nowhere-at-all'])
    expect([exit, stderr]).toEqual([1, expect.stringContaining('nowhere-at-all')])
    expect(await workspace.readLock()).toContain(MODULE)
    expect(await workspace.readLock()).not.toContain('nowhere')
  })
})

describe('pml add of an entry that has changed', () => {
  it.runIf(hasTerminal)('asks on a terminal, and shows what a yes has locked', async () => {
    const catalog = await openCatalog(registry)
    const name = 'acme.tools.text.moody'
    await catalog.code(name, 'export default () => "calm"\n')
    expect((await workspace.run(['add', name])).exit).toBe(0)
    await catalog.code(name, 'export default () => "angry"\n')
    const command = await copyCommand(join(workspace.root, '..', 'command'))
    const { exit, text } = await runOnTerminal(workspace, ['add', name], ['y\n'], command)
    expect([exit, text]).toEqual([0, expect.stringMatching(/^fqdn +acme\.tools\.text\.moody\.[0-9a-f]{4}$/m)])
  })
})

describe('pml doctor', () => {
  it.runIf(hasTerminal)('wraps what it says, and cuts off no cure', async () => {
    Object.assign(workspace.env, { PML_DENO: '/nowhere/deno' })
    const { text } = await runOnTerminal(workspace, ['doctor'], [])
    const plain = text.replaceAll(/\s+/g, ' ')
    expect(plain).toContain('set it to the absolute path of Deno, or unset it and run "npm install -g deno"')
    expect(text).not.toContain('…')
  })
})
