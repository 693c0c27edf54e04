import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configHomeOf, stateHomeOf } from '../../machine/ops.ts'
import { discoverServers } from './discover-servers.ts'
import { serverPlacesOf } from '../../workspace/server-places.ts'

let folder: string
let root: string
let extra: string[]
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'pml-discovery-')))
  root = join(folder, 'project')
  extra = []
  await mkdir(root)
})
afterEach(() => rm(folder, { recursive: true }))

const inProject = (name: string) => join(root, '.pml', 'mcp', name)
const ofUser = (name: string) => join(folder, 'config', 'pml', 'mcp', name)

async function write(path: string, content: unknown): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

function discover() {
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), PML_MCP_PATH: extra.join(delimiter) }
  return discoverServers(serverPlacesOf({ env, cwd: folder, platform: process.platform }, root))
}

const commandsOf = ({ servers }: Awaited<ReturnType<typeof discover>>) =>
  [...servers.values()].map(({ name, launch, scope }) => [
    name,
    launch.kind === 'stdio' ? launch.command : launch.url,
    scope,
  ])

describe('servers are found', () => {
  it('nowhere, which is no error, and the searched places are listed', async () => {
    expect(await discover()).toEqual({
      servers: new Map(),
      problems: [],
      warnings: [],
      files: [],
      places: [join(root, '.pml', 'mcp'), join(root, '.mcp.json'), join(folder, 'config', 'pml', 'mcp')],
    })
  })

  it('in all places, the first deciding, with a warning for each that it hides', async () => {
    extra = ['more', 'one.json']
    const files = [
      await write(inProject('a.json'), { command: 'project' }),
      await write(join(root, '.mcp.json'), {
        mcpServers: { b: { command: 'workspace' }, a: { command: 'x' } },
      }),
      await write(ofUser('a.json'), { command: 'x' }),
      await write(ofUser('c.json'), { command: 'user' }),
      await write(join(folder, 'more', 'd.json'), { command: 'more' }),
      await write(join(folder, 'more', 'e.json'), { name: 'c', command: 'x' }),
      await write(join(folder, 'one.json'), { servers: { E: { url: 'https://one.example.com' } } }),
    ]
    const found = await discover()
    expect(found.files).toEqual(files)
    expect(found.problems).toEqual([])
    expect(commandsOf(found)).toEqual([
      ['E', 'https://one.example.com', 'path'],
      ['a', 'project', 'project'],
      ['b', 'workspace', 'workspace'],
      ['c', 'user', 'user'],
      ['d', 'more', 'path'],
    ])
    expect(found.servers.get('a')?.file).toBe(inProject('a.json'))
    expect(found.warnings).toEqual([
      `Server a of ${files[1]} is ignored because ${files[0]} comes first`,
      `Server a of ${files[2]} is ignored because ${files[0]} comes first`,
      `Server c of ${files[5]} is ignored because ${files[3]} comes first`,
    ])
  })

  it('twice in one folder: the first file by name decides', async () => {
    await write(inProject('2.json'), { name: 'a', command: 'second' })
    await write(inProject('1.json'), { name: 'a', command: 'first' })
    await write(inProject('3.json'), { name: 'a', command: 'third' })
    const found = await discover()
    expect(commandsOf(found)).toEqual([['a', 'first', 'project']])
    expect(found.files).toEqual(['1.json', '2.json', '3.json'].map(inProject))
    expect(found.warnings).toHaveLength(2)
  })

  it('once, even if several places lead to the same file', async () => {
    await write(ofUser('a.json'), { command: 'x' })
    await symlink(join(folder, 'config', 'pml', 'mcp'), join(folder, 'link'))
    extra = ['link', join('config', 'pml', 'mcp')]
    const found = await discover()
    expect(commandsOf(found)).toEqual([['a', 'x', 'user']])
    expect(found.warnings).toEqual([])
  })

  it('but not files of editors, nor files not called .json', async () => {
    for (const name of ['.a.json', 'b.json.bak', 'c.txt', '.#d.json'])
      await write(inProject(name), { command: 'x' })
    expect((await discover()).files).toEqual([])
  })

  it.each([
    ['pml', ['serve']],
    ['npx', ['-y', 'pml@1.2.3', 'serve']],
    ['npx', ['-y', '@pml-registry/pml@1.2.3', 'serve']],
    ['node', ['/x/node_modules/@pml-registry/pml/bin/pml.js', '--workspace', '/x', 'serve']],
    ['C:\\npm\\pml.cmd', ['serve', '--http']],
    ['sh', ['-c', 'exec "pml" serve']],
  ])('but never pml itself: %s %j', async (command, args) => {
    await write(join(root, '.mcp.json'), { mcpServers: { pml: { command, args } } })
    expect(await discover()).toMatchObject({ servers: new Map(), problems: [], warnings: [] })
  })

  it('that only look like it', async () => {
    const servers = {
      a: { command: 'pml-files', args: ['serve'] },
      b: { command: 'npx', args: ['serve', 'pml'] },
      c: { command: 'pml', args: ['run'] },
    }
    await write(join(root, '.mcp.json'), { mcpServers: servers })
    expect([...(await discover()).servers.keys()]).toEqual(['a', 'b', 'c'])
  })
})

describe('a problem and no crash is', () => {
  /** Beside a good file, which is found all the same. */
  async function told(): Promise<string[]> {
    await write(ofUser('good.json'), { command: 'good' })
    const found = await discover()
    expect(commandsOf(found)).toEqual([['good', 'good', 'user']])
    return found.problems.map(
      ({ file, line, column, path, message }) => `${file}:${line}:${column}:${path} ${message}`,
    )
  }
  const problem = (file: string, message: string) => [expect.stringMatching(`^${file}:1:1: .*${message}`)]

  it('a folder in the place of a file', async () => {
    await mkdir(inProject('x.json'), { recursive: true })
    expect(await told()).toEqual(problem(inProject('x.json'), 'it is a folder, expected a file'))
  })

  it('a file in the place of the folder', async () => {
    await write(join(root, '.pml', 'mcp'), '')
    expect(await told()).toEqual(problem(join(root, '.pml', 'mcp'), 'expected a folder'))
  })

  it('a file in the place of .pml', async () => {
    await write(join(root, '.pml'), '')
    expect(await told()).toEqual(problem(join(root, '.pml', 'mcp'), 'a part of its path is a file'))
  })

  it('a huge file', async () => {
    await write(inProject('x.json'), ' '.repeat(1024 * 1024 + 1))
    expect(await told()).toEqual(problem(inProject('x.json'), 'expected at most 1048576'))
  })

  it('a file that is no text', async () => {
    await mkdir(dirname(inProject('x.json')), { recursive: true })
    await writeFile(inProject('x.json'), Buffer.from([0x7b, 0xff, 0x7d]))
    expect(await told()).toEqual(problem(inProject('x.json'), 'expected UTF-8'))
  })

  it('a file that was just begun', async () => {
    await write(inProject('x.json'), '')
    expect(await told()).toEqual(problem(inProject('x.json'), 'expected valid JSON'))
  })

  it('a part of PML_MCP_PATH that is not there', async () => {
    extra = ['gone', 'more']
    await mkdir(join(folder, 'more'))
    expect(await told()).toEqual(problem(join(folder, 'gone'), 'change PML_MCP_PATH'))
  })

  it.each(['file', 'folder', 'state'])(
    'a link that leads out of the project in the place of a %s',
    async (what) => {
      await write(join(folder, 'away', 'mcp', 'x.json'), { command: 'away' })
      const [place, target] = {
        file: [inProject('x.json'), join(folder, 'away', 'mcp', 'x.json')],
        folder: [join(root, '.pml', 'mcp'), join(folder, 'away', 'mcp')],
        state: [join(root, '.pml'), join(folder, 'away')],
      }[what] as [string, string]
      await mkdir(dirname(place), { recursive: true })
      await symlink(target, place)
      expect(await told()).toEqual(
        problem(what === 'state' ? join(root, '.pml', 'mcp') : place, 'leads out of'),
      )
    },
  )

  it('a link that leads nowhere', async () => {
    await mkdir(dirname(inProject('x.json')), { recursive: true })
    await symlink(join(root, 'gone.json'), inProject('x.json'))
    expect(await told()).toEqual(problem(inProject('x.json'), 'target does not exist'))
  })
})

it('a secret in a file of the project is warned of by its name, and one of the user is not', async () => {
  const env = { GITHUB_TOKEN: 'sesame-open', SAFE: '${GITHUB_TOKEN}', MODE: 'fast' }
  const file = await write(inProject('a.json'), { command: 'x', env })
  await write(ofUser('b.json'), { command: 'x', env })
  const headers = { Authorization: 'Bearer sesame', Accept: 'text/plain' }
  const theirs = await write(join(root, '.mcp.json'), { mcpServers: { c: { url: 'https://a.b', headers } } })
  const found = await discover()
  expect(found.servers.size).toBe(3)
  expect(found.warnings).toEqual([
    `Server a of ${file} has a secret in env.GITHUB_TOKEN; write "\${NAME}" and set that variable`,
    `Server c of ${theirs} has a secret in headers.Authorization; write "\${NAME}" and set that variable`,
  ])
})

it("a user's own files may be links, as people keep them elsewhere", async () => {
  await write(join(folder, 'dotfiles', 'a.json'), { command: 'x' })
  await mkdir(dirname(ofUser('a.json')), { recursive: true })
  await symlink(join(folder, 'dotfiles', 'a.json'), ofUser('a.json'))
  expect(commandsOf(await discover())).toEqual([['a', 'x', 'user']])
})

it.each<[NodeJS.Platform, Record<string, string>, string, string]>([
  ['linux', { HOME: '/h' }, '/h/.config/pml', '/h/.local/state/pml'],
  [
    'linux',
    { HOME: '/h', XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: '' },
    '/h/.config/pml',
    '/h/.local/state/pml',
  ],
  [
    'darwin',
    { HOME: '/h' },
    '/h/Library/Application Support/pml',
    '/h/Library/Application Support/pml/state',
  ],
  ['darwin', { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, '/c/pml', '/s/pml'],
  ['win32', { APPDATA: '/r', LOCALAPPDATA: '/l' }, '/r/pml', '/l/pml/state'],
])('on %s with %j files are where people of that system expect them', (platform, env, config, state) => {
  expect([configHomeOf(env, platform), stateHomeOf(env, platform)]).toEqual([config, state])
})
