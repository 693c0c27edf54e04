import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LocalLaunch } from '@pml/core/local-servers'
import { tool as toolOf } from '../../../test/served.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { DependencyApprovalRequired } from '../../api/approval.ts'
import { limitsOf } from '../../calls/call-parts.ts'
import { openClient, type Client } from '../../calls/open-client.ts'
import { processOps } from '../../machine/ops.ts'
import { printApproval } from '../../workspace/prompts/print-approval.ts'
import { continueWorkflow } from '../../calls/continue-workflow.ts'
import { openServer } from '../../calls/open-server.ts'
import { findConsent, mayStartAtOnce } from './consent.ts'
import { findLaunchFiles } from './launch-files.ts'

const operation = { kind: 'open-server', server: 'files' } as const

let workspace: TestWorkspace
let client: Client

beforeEach(async () => {
  workspace = await makeWorkspace('http://127.0.0.1:9/')
  const { env } = workspace
  const ops = { ...processOps(), env: { ...env, NAME: 'srv' }, cacheHome: workspace.cacheDir }
  client = await openClient(ops, { workspace: workspace.root })
})
afterEach(async () => {
  await client.close()
  await workspace.remove()
})

async function put(path: string, text = `// ${path}\n`): Promise<string> {
  const file = join(workspace.root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

function launchOf(line: string | readonly string[], more: Partial<LocalLaunch> = {}): LocalLaunch {
  const [command = '', ...args] = typeof line === 'string' ? line.split(' ') : line
  return { kind: 'stdio', command, args, env: {}, cwd: undefined, ...more } as LocalLaunch
}
const named = async (line: string | readonly string[], more?: Partial<LocalLaunch>) =>
  Object.keys(await findLaunchFiles(launchOf(line, more), client))

const foundAt = (launch: LocalLaunch) =>
  ({ name: 'files', scope: 'project', file: '.mcp.json', launch }) as const
const ask = async (launch: LocalLaunch) =>
  (await findConsent(client, foundAt(launch), operation)) as DependencyApprovalRequired | undefined

async function agreeTo(launch: LocalLaunch): Promise<void> {
  const { workflowId = '' } = (await ask(launch)) ?? {}
  const yes = continueWorkflow(client, { workflowId, approved: true, given: { by: 'terminal' } }, limitsOf())
  await expect(yes).rejects.toMatchObject({ code: 'unknown_server' })
  expect(await ask(launch)).toBeUndefined()
}

describe('the files that a command line names', () => {
  it.each([
    ['node srv.js', ['srv.js']],
    ['node ./srv.js --port 3', ['srv.js']],
    ['node --require ./pre.cjs --import=./pre.mjs srv', ['pre.cjs', 'pre.mjs', 'srv']],
    ['python3 srv.py', ['srv.py']],
    ['python3 -u -m mod', ['mod.py']],
    ['python3 -mpack.sub', ['pack/sub/__init__.py', 'pack/sub/__main__.py']],
    ['bash run.sh', ['run.sh']],
    ['bash srv', ['srv']],
    ['./bin/tool', ['bin/tool']],
    ['npx tsx src/x.ts', ['node_modules/.bin/tsx', 'src/x.ts']],
    ['npx -y tsx src/x.ts', ['node_modules/.bin/tsx', 'src/x.ts']],
    ['uv run srv.py', ['srv.py']],
    ['deno run -A srv.ts', ['srv.ts']],
    ['node ${WORKSPACE}/srv.js', ['srv.js']],
    ['node ${NAME}.js', ['srv.js']],
    ['node ${NAME:-other}.js', ['srv.js']],
    ['node srv.js data.json notes.txt', ['srv.js']],
    ['node srv.js helper.js', ['helper.js', 'srv.js']],
    ['node nothing.js', []],
    ['node', []],
    ['node ../outside.js', []],
    ['node /etc/hostname', []],
  ])('%s', async (line, expected) => {
    for (const path of ['srv.js', 'srv', 'srv.py', 'srv.ts', 'mod.py', 'run.sh', 'src/x.ts', 'bin/tool'])
      await put(path)
    for (const path of ['pre.cjs', 'pre.mjs', 'data.json', 'notes.txt', 'helper.js']) await put(path)
    for (const path of ['pack/sub/__init__.py', 'pack/sub/__main__.py', 'node_modules/.bin/tsx'])
      await put(path)
    await put('../outside.js')
    expect((await named(line)).sort()).toEqual([...expected].sort())
  })

  it('are in the line of a shell and in code that is given', async () => {
    for (const path of ['srv.js', 'run.sh']) await put(path)
    expect(await named(['sh', '-c', 'cd . && exec ./run.sh'])).toEqual(['run.sh'])
    expect(await named(['node', '-e', "require('./srv.js')"])).toEqual(['srv.js'])
  })

  it.each([
    ['node lib/main', {}, ['lib/main.js']],
    ['node -r ./pre main.js', {}, ['main.js', 'pre.js']],
    ['node --require=./pre main.js', {}, ['main.js', 'pre.js']],
    ['node --env-file=.env main.js', {}, ['.env', 'main.js']],
    ['node --env-file .env main.js', {}, ['.env', 'main.js']],
    ['node main.js', { NODE_OPTIONS: '--require ./pre.js --no-warnings' }, ['main.js', 'pre.js']],
    ['node main.js', { NODE_OPTIONS: '--import=./pre.js' }, ['main.js', 'pre.js']],
    ['node main.js', { LD_PRELOAD: './a.so:./b.so' }, ['a.so', 'b.so', 'main.js']],
    ['bash -c true', { BASH_ENV: './rc' }, ['rc']],
    ['tool main.js', { PATH: './lib/bin:/usr/bin' }, ['lib/bin/tool', 'main.js']],
    ['node main.js', { DATA: './data.json' }, ['main.js']],
    ['make serve', {}, ['Makefile']],
    ['just serve', {}, ['justfile']],
    ['deno task serve', {}, ['deno.json']],
    ['docker compose run files', {}, ['compose.yaml']],
  ])('%s %j', async (line, env, expected) => {
    for (const path of ['lib/main.js', 'main.js', 'pre.js', '.env', 'a.so', 'b.so', 'rc', 'data.json'])
      await put(path)
    for (const path of ['Makefile', 'justfile', 'deno.json', 'compose.yaml', 'lib/bin/tool']) await put(path)
    expect((await named(line, { env })).sort()).toEqual(expected)
  })

  it('are looked for from the folder that it is started in', async () => {
    await put('sub/srv.js')
    expect(await named('node srv.js')).toEqual([])
    expect(await named('node srv.js', { cwd: 'sub' })).toEqual(['sub/srv.js'])
    expect(await named('node srv.js', { cwd: '${workspaceFolder}/sub' })).toEqual(['sub/srv.js'])
  })

  it('are those that start a folder', async () => {
    await put(
      'pkg/package.json',
      JSON.stringify({
        main: './lib/main',
        bin: { a: 'cli.mjs' },
        scripts: { start: 'node start.js x.csv' },
      }),
    )
    for (const path of ['lib/main.js', 'cli.mjs', 'start.js', 'x.csv', 'other.js']) await put(`pkg/${path}`)
    const all = ['cli.mjs', 'lib/main.js', 'package.json', 'start.js'].map((name) => `pkg/${name}`)
    for (const line of ['node pkg', 'npx ./pkg', 'npm --prefix pkg start', 'pnpm -C pkg start'])
      expect([line, (await named(line)).sort()]).toEqual([line, all])
    expect((await named('npm start', { cwd: 'pkg' })).sort()).toEqual(all)
  })

  it('are not those of a folder that is only worked on', async () => {
    await put('package.json', '{}')
    expect(await named('npx -y @acme/filesystem .')).toEqual([])
    expect(await named(['npx', '-y', '@acme/filesystem', '${WORKSPACE}'])).toEqual([])
  })

  it('count wherever a link leads, out of the project and into it', async () => {
    await put('srv.js')
    await put('../outside.js')
    await symlink('../outside.js', join(workspace.root, 'out.js'))
    await symlink(join(workspace.root, 'srv.js'), join(workspace.root, '..', 'in.js'))
    expect(await named('node out.js')).toEqual(['out.js'])
    expect(await named('node ../in.js')).toEqual(['srv.js'])
  })

  it('count when they are programs, whatever their name', async () => {
    await chmod(await put('tool.dat'), 0o755)
    expect(await named('node nothing.js tool.dat')).toEqual(['tool.dat'])
  })

  it('may be called as no object likes it', async () => {
    await put('__proto__')
    expect(await named('node __proto__')).toEqual(['__proto__'])
  })

  it('are refused when they are too large, and a folder of them when they are too many', async () => {
    const file = await put('srv.js')
    await truncate(file, 513 * 1024 * 1024)
    await expect(named('node srv.js')).rejects.toMatchObject({ code: 'too_large' })
    for (let at = 0; at < 501; at++) await put(`many/f${at}.go`)
    await expect(named('go run ./many')).rejects.toMatchObject({ code: 'too_large' })
  })
})

describe('consent to start a server of a project', () => {
  it('shows the digests of its files, and holds until one of them changes', async () => {
    await put('srv.js', 'one()\n')
    const launch = launchOf('node srv.js')
    const first = await ask(launch)
    expect(first).toMatchObject({ files: { 'srv.js': expect.stringMatching(/^sha256-[0-9a-f]{64}$/) } })
    expect(first && printApproval(first)).toContain('file     srv.js sha256-')
    await agreeTo(launch)
    expect(await mayStartAtOnce(client, foundAt(launch))).toBe(true)
    await put('srv.js', 'one()\nsteal()\nfetch(x)\n')
    expect(await mayStartAtOnce(client, foundAt(launch))).toBe(false)
    const again = await ask(launch)
    expect(again?.diff).toMatch(/^changes: network\n/)
    expect(again?.diff).toContain('srv.js has changed:\n')
    expect(again?.diff).toContain('\n+steal()')
    expect(again?.description).toContain('since you agreed')
    expect(again && printApproval(again)).toContain('+steal()')
    await agreeTo(launch)
    await put('srv.js', 'one()\n')
    expect(await ask(launch)).toMatchObject({ diff: expect.stringContaining('-steal()') })
  })

  it('is needed again for a file that comes or goes', async () => {
    const launch = launchOf('node srv.js helper.js')
    await put('srv.js')
    await agreeTo(launch)
    await put('helper.js')
    expect(await ask(launch)).toMatchObject({ diff: 'helper.js is new\n' })
  })

  it('is not given for a file that changes between the question and the answer', async () => {
    await put('srv.js', 'one()\n')
    const launch = launchOf('node srv.js')
    const { workflowId = '' } = (await ask(launch)) ?? {}
    await put('srv.js', 'steal()\n')
    const yes = continueWorkflow(
      client,
      { workflowId, approved: true, given: { by: 'terminal' } },
      limitsOf(),
    )
    await expect(yes).rejects.toMatchObject({ code: 'unknown_server' })
    expect(await ask(launch)).toMatchObject({ diff: expect.stringContaining('+steal()') })
  })

  it('says so if the old content cannot be shown', async () => {
    await put('srv.js', '\0one')
    const launch = launchOf('node srv.js')
    await agreeTo(launch)
    await put('srv.js', '\0two')
    expect(await ask(launch)).toMatchObject({ diff: expect.stringContaining('not text') })
  })
})

describe('a server of a project whose file has changed', () => {
  const listedServer = fileURLToPath(new URL('../../../test/listed-server.mjs', import.meta.url))
  const started = () => join(workspace.root, 'started')

  /** It leaves a mark as soon as it is started. */
  async function putServer(line = ''): Promise<void> {
    const tools = await put('tools.json', JSON.stringify({ tools: [toolOf('pid')] }))
    await put('../listed.mjs', await readFile(listedServer, 'utf8'))
    const mark = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(started())}, '')\n`
    await put(
      'srv.mjs',
      `${mark}process.argv[2] = ${JSON.stringify(tools)}\n${line}await import('../listed.mjs')\n`,
    )
    await put('.mcp.json', JSON.stringify({ mcpServers: { files: { command: 'node', args: ['srv.mjs'] } } }))
  }
  const open = () => openServer(client, { server: 'files', limits: limitsOf() })

  beforeEach(async () => {
    await putServer()
    const { workflowId } = (await open()) as DependencyApprovalRequired
    await continueWorkflow(client, { workflowId, approved: true, given: { by: 'terminal' } }, limitsOf())
    expect(existsSync(started())).toBe(true)
    await rm(started())
  })

  it('is not started before a person has seen the difference', async () => {
    await client.close()
    client = await openClient(client.ops, { workspace: workspace.root })
    await putServer('// steal()\n')
    expect(await open()).toMatchObject({
      approvalType: 'dependency',
      diff: expect.stringContaining('+// steal()'),
    })
    expect(existsSync(started())).toBe(false)
  })

  it('is not started again when it ends', async () => {
    const { server } = (await (await client.servers()).find('files')) ?? {}
    const session = await server?.open(new AbortController().signal)
    await session?.close()
    await putServer('// steal()\n')
    await expect(server?.open(new AbortController().signal)).rejects.toThrow('nobody has agreed to start it')
    expect(existsSync(started())).toBe(false)
  })
})
