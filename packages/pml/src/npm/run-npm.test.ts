import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findNpm } from './run-npm.ts'

let folder: string
const cli = join('node_modules', 'npm', 'bin', 'npm-cli.js')

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-npm-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function make(...path: string[]): Promise<string> {
  const file = join(folder, ...path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '')
  return file
}

function find(platform: NodeJS.Platform, env: Record<string, string>) {
  return findNpm({ env, execPath: join(folder, 'node', 'bin', 'node'), platform })
}

describe('npm is', () => {
  test('the one that runs this process, before the one beside Node, before the one on the path', async () => {
    const execPath = join(folder, 'node', 'bin', 'node')
    const onPath = await make('path', 'npm')
    const env = { PATH: `${join(folder, 'empty')}:${dirname(onPath)}` }
    expect(await find('linux', env)).toMatchObject({ command: onPath, args: [] })
    const beside = await make('node', 'lib', cli)
    expect(await find('linux', env)).toMatchObject({ command: execPath, args: [beside] })
    const running = await make('own', 'npm-cli.js')
    expect(await find('linux', { ...env, npm_execpath: running })).toMatchObject({ args: [running] })
  })

  test('never another program that says it is one', async () => {
    const beside = await make('node', 'lib', cli)
    for (const other of ['pnpm.cjs', 'npx-cli.js', 'yarn.js'])
      expect(await find('linux', { npm_execpath: await make(other) })).toMatchObject({ args: [beside] })
  })

  test('a script on Windows, where the one on the path needs a shell', async () => {
    await make('path', 'npm')
    const env = { Path: join(folder, 'path') }
    await expect(find('win32', env)).rejects.toMatchObject({ code: 'install_failed' })
    const script = await make('path', cli)
    expect(await find('win32', env)).toMatchObject({ args: [script] })
  })
})

test('npm gets the user’s npm settings, and nothing else', async () => {
  await make('node', 'lib', cli)
  const own = {
    HOME: '/home/me',
    PATH: '/bin',
    npm_config_registry: 'https://npm.example/',
    NPM_CONFIG_USERCONFIG: '/x',
    HTTPS_PROXY: 'http://proxy',
    no_proxy: 'localhost',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    NPM_TOKEN: 'for ${NPM_TOKEN} in .npmrc',
  }
  const others = {
    GITHUB_TOKEN: 'x',
    PML_API_KEY: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    NODE_OPTIONS: '--require /x.js',
    npm_lifecycle_event: 'test',
    npm_config_workspace: 'a',
    npm_config_dry_run: 'true',
  }
  expect((await find('linux', { ...own, ...others })).env).toEqual(own)
})
