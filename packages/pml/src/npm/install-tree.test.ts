import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, watch, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { integrityOf, type JsonObject } from '@pml/core'
import { startNpmProxy, type NpmProxy } from '../../test/npm-proxy.ts'
import { isAlive, kill } from '../../test/rough-folder.ts'
import { lockedTree, smallBin, smallLock } from '../../test/small-tree.ts'
import { findNpm, type Npm } from './run-npm.ts'
import { installTree } from './install-tree.ts'
import { findTree, verifyTree } from './tree-store.ts'

type LockedTree = Parameters<typeof installTree>[1]
type InstallOptions = Parameters<typeof installTree>[2]

const roughNpm = fileURLToPath(new URL('../../test/rough-npm.mjs', import.meta.url))
const never = new AbortController().signal
const HOUR_MS = 3_600_000

let proxy: NpmProxy
let npm: Npm
let lock: Awaited<ReturnType<typeof smallLock>>
let tree: LockedTree
let parent: string
let folder: string

beforeAll(async () => {
  lock = await smallLock()
  tree = lockedTree(lock as unknown as JsonObject, smallBin)
})

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'trees-'))
  folder = join(parent, 'trees')
  proxy = await startNpmProxy()
  const { command, args, env } = await findNpm(process)
  // A cache of its own: what was fetched once is not fetched again, and could not be changed on the way.
  const own = { npm_config_registry: proxy.url, npm_config_cache: join(parent, 'cache') }
  npm = { command, args, env: { ...env, ...own, npm_config_fetch_retries: '0' } }
})

afterEach(async () => {
  await proxy.stop()
  await rm(parent, { recursive: true, force: true })
})

function install(wanted: LockedTree = tree, options: Partial<InstallOptions> = {}) {
  const all = { npm, signal: never, timeoutMs: 60_000, kill, tell: () => {}, ...options }
  return installTree({ folder }, wanted, all)
}

function rough(manner: string): Npm {
  return { command: process.execPath, args: [roughNpm, manner], env: {} }
}

describe('installing a tree', () => {
  test('gives what the lock says, ready to start, in a folder that is the user’s alone', async () => {
    const told: string[] = []
    const installed = await install(tree, { tell: (sentence) => told.push(sentence) })
    expect(told).toEqual([expect.stringMatching(/^Installing which 2\.\d+\.\d+, 2 packages$/)])
    expect(installed.folder).toBe(join(folder, tree.integrity.slice('sha256-'.length)))
    const { stdout } = await promisify(execFile)(process.execPath, [installed.binPath, 'node'])
    expect(stdout.trim()).toMatch(/node$/)
    expect(await readdir(folder)).toHaveLength(1)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect((await stat(installed.folder)).mode & 0o777).toBe(0o500)
    expect((await stat(installed.binPath)).mode & 0o222).toBe(0)
    expect(await readdir(join(installed.folder, 'node_modules'))).toEqual([
      '.package-lock.json',
      'isexe',
      'which',
    ])
    await verifyTree(installed)
  })

  test('is done once: then it is found, and marked as used', async () => {
    const installed = await install()
    const used = join(installed.folder, 'used')
    await utimes(used, 1, 1)
    expect(await findTree({ folder }, tree)).toEqual(installed)
    expect(Date.now() - (await stat(used)).mtimeMs).toBeLessThan(60_000)
    expect(await install(tree, { npm: rough('E500') })).toEqual(installed)
    expect(await findTree({ folder: join(parent, 'elsewhere') }, tree)).toBeUndefined()
  })

  test('at once from two sides ends with one good tree', async () => {
    const both = await Promise.all([install(), install()])
    expect(both[0]).toEqual(both[1])
    expect(proxy.seen.filter(({ path }) => path?.endsWith('.tgz')).length).toBeGreaterThan(2)
    expect(await readdir(folder)).toHaveLength(1)
    await verifyTree(both[0])
  })

  test('runs no script of a package', async () => {
    const made = await makePackage({ postinstall: "node -e \"fs.writeFileSync('ran','')\"" })
    proxy.offer('made', made)
    const { version, integrity } = made
    const entry = { version, integrity, hasInstallScript: true, bin: { made: 'made.js' } }
    const packages = { '': { name: 'pin', dependencies: { made: version } }, 'node_modules/made': entry }
    const scripted = lockedTree({ ...lock, packages }, 'node_modules/made/made.js')
    const installed = await install(scripted)
    expect((await readdir(join(installed.folder, 'node_modules', 'made'))).sort()).toEqual([
      'made.js',
      'package.json',
    ])
  })

  test('passes on the settings of npm, and no keys of other programs', async () => {
    const machine = {
      ...process,
      env: { ...process.env, npm_config_color: 'false', MY_SECRET: 'x', AWS_KEY: 'x' },
    }
    const { env } = await findNpm(machine)
    await expect(install(tree, { npm: { ...rough('E500'), env } })).rejects.toMatchObject({
      code: 'unavailable',
    })
    const names = (await readFile(join(folder, 'env'), 'utf8')).split(' ')
    expect(names).toEqual(expect.arrayContaining(['HOME', 'PATH', 'npm_config_color']))
    expect(names.filter((name) => /SECRET|AWS/.test(name))).toEqual([])
  })
})

describe('installing refuses', () => {
  test('a package of which one byte is another, by its name and both hashes', async () => {
    proxy.tamperWith('isexe')
    const { version, integrity } = lock.packages['node_modules/isexe']
    await expect(install()).rejects.toMatchObject({
      code: 'integrity_mismatch',
      exitCode: 4,
      message: expect.stringMatching(
        /^Cannot install which [\d.]+: isexe [\d.]+ differs from the pinned one, expected sha512-\S+==, got sha512-\S+==$/,
      ),
      detail: { package: 'isexe', version, expected: integrity, found: expect.stringMatching(/^sha512-/) },
    })
    expect(await readdir(folder)).toEqual([])
  })

  test('a lock of which one byte is another', async () => {
    const changed = Uint8Array.from(tree.lock)
    changed[40] = (changed[40] ?? 0) ^ 1
    await expect(install({ ...tree, lock: changed }, { npm: rough('E500') })).rejects.toMatchObject({
      code: 'integrity_mismatch',
      message: expect.stringContaining(`expected ${tree.integrity}, got sha256-`),
    })
    expect(await readdir(parent)).not.toContain('trees')
  })

  test.each<[string, (packages: Record<string, object>) => object, string, string?]>([
    ['an address', (all) => edit(all, { resolved: 'https://evil.example/x.tgz' }), 'expected no address'],
    ['a link', (all) => edit(all, { link: true }), 'a link to a folder'],
    ['no hash', (all) => edit(all, { integrity: undefined }), 'expected a sha512 integrity'],
    ['a weak hash', (all) => edit(all, { integrity: 'sha1-AAAA' }), 'integrity'],
    [
      'a dependency from git',
      (all) => edit(all, { dependencies: { x: 'git+https://x.example/y' } }),
      'not from git',
    ],
    [
      'a folder outside',
      (all) => ({ ...all, 'node_modules/../../x': all['node_modules/isexe'] }),
      'packages',
    ],
    ['a bin outside', (all) => all, 'bin', 'node_modules/which/../../../bin/sh'],
    ['a bin that is none', (all) => all, 'bin', 'node_modules/which/which.js'],
  ])('a lock with %s, before npm sees it', async (_, change, message, bin = smallBin) => {
    const wrong = lockedTree({ ...lock, packages: change(lock.packages) } as unknown as JsonObject, bin)
    await expect(install(wrong, { npm: rough('E500') })).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining(message),
    })
    expect(await readdir(parent)).not.toContain('trees')
  })

  test('a lock that could be written in another way', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(lock, null, 1))
    await expect(
      install({ lock: bytes, integrity: integrityOf(bytes), bin: smallBin }),
    ).rejects.toMatchObject({
      code: 'invalid_config',
      message: 'Cannot install from a lock: expected canonical JSON',
    })
  })
})

function edit(packages: Record<string, object>, change: object): object {
  return { ...packages, 'node_modules/isexe': { ...packages['node_modules/isexe'], ...change } }
}

describe('installing explains', () => {
  test('that no registry answers', async () => {
    await proxy.stop()
    await expect(install()).rejects.toMatchObject({
      code: 'unavailable',
      exitCode: 6,
      message: expect.stringMatching(
        /^Cannot install which [\d.]+: npm's registry did not serve it, ECONNREFUSED: /,
      ),
    })
    expect(await readdir(folder)).toEqual([])
  })

  test('that the registry does not have a package', async () => {
    const entry = { ...lock.packages['node_modules/isexe'] }
    const packages = { ...lock.packages, 'node_modules/isexe': { ...entry, version: '2.99.0' } }
    const missing = lockedTree({ ...lock, packages } as unknown as JsonObject, smallBin)
    await expect(install(missing)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('isexe'),
    })
  })

  test('that there is no npm', async () => {
    const nowhere = { command: join(parent, 'no-npm'), args: [], env: {} }
    await expect(install(tree, { npm: nowhere })).rejects.toMatchObject({
      code: 'install_failed',
      message: expect.stringMatching(/there is no npm at .*no-npm$/),
    })
    const machine = {
      env: { PATH: parent },
      execPath: join(parent, 'bin', 'node'),
      platform: 'linux' as const,
    }
    await expect(findNpm(machine)).rejects.toMatchObject({ code: 'install_failed' })
  })

  test.each([
    ['ENOSPC', 'install_failed', 'the disk is full'],
    ['EROFS', 'install_failed', 'it is read-only'],
    ['E503', 'unavailable', 'E503: because'],
    ['EWHATEVER', 'install_failed', 'npm failed with EWHATEVER: EWHATEVER: because'],
  ])('%s of npm', async (manner, code, message) => {
    const failed = expect.objectContaining({ code, message: expect.stringContaining(message) })
    await expect(install(tree, { npm: rough(manner) })).rejects.toEqual(failed)
  })

  test('that there can be no folder', async () => {
    await writeFile(folder, '')
    await expect(install()).rejects.toMatchObject({
      code: 'install_failed',
      message: `Cannot install into ${folder}: it is not a folder`,
    })
  })
})

describe('an installation that is ended', () => {
  test.each([
    ['by its time limit', 1500, 'unavailable', 'npm did not finish within 1500 ms'],
    ['by who wanted it', 60_000, 'cancelled', 'it was cancelled'],
  ])('%s leaves no process and no folder', async (_, timeoutMs, code, message) => {
    await mkdir(folder)
    const cancel = new AbortController()
    const installing = install(tree, { npm: rough('hangs'), timeoutMs, signal: cancel.signal })
    const failed = installing.catch((error: unknown) => error)
    await appears(folder, 'hanging')
    if (code === 'cancelled') cancel.abort()
    expect(await failed).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(await livingOf(folder)).toEqual({ noted: 2, alive: [] })
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('by SIGKILL leaves a folder that a later one removes once it is old', async () => {
    await mkdir(folder)
    const script = fileURLToPath(new URL('../../test/install-hanging.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      ['--conditions=pml-source', '--import', 'tsx', script, folder, roughNpm],
      {
        stdio: 'inherit',
      },
    )
    await appears(folder, 'hanging')
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
    for (const pid of (await livingOf(folder)).alive) process.kill(pid, 'SIGKILL')
    const left = (await readdir(folder)).filter((name) => name.startsWith('.installing-'))
    expect(left).toHaveLength(1)

    await install()
    expect(await readdir(folder)).toEqual(expect.arrayContaining(left))
    const old = (Date.now() - 2 * HOUR_MS) / 1000
    await utimes(join(folder, left[0] ?? ''), old, old)
    await rm((await install()).folder, { recursive: true })
    await install()
    expect((await readdir(folder)).filter((name) => name.startsWith('.installing-'))).toEqual([])
  })
})

async function livingOf(path: string): Promise<{ noted: number; alive: number[] }> {
  const pids = (await readFile(join(path, 'pids'), 'utf8')).trim().split(' ').map(Number)
  const states = await Promise.all(pids.map(isAlive))
  return { noted: pids.length, alive: pids.filter((_, index) => states[index]) }
}

async function appears(path: string, name: string): Promise<void> {
  const events = watch(path)
  if ((await readdir(path)).includes(name)) return
  for await (const { filename } of events) if (filename === name) return
}

async function makePackage(scripts: Record<string, string>) {
  const source = join(parent, 'made')
  await mkdir(source)
  await writeFile(join(source, 'made.js'), '')
  const manifest = { name: 'made', version: '1.0.0', bin: { made: 'made.js' }, scripts }
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest))
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts'], { cwd: source })
  const [packed] = JSON.parse(stdout) as [{ filename: string; integrity: string }]
  const tarball = await readFile(join(source, packed.filename))
  return { version: '1.0.0', integrity: packed.integrity, tarball }
}
