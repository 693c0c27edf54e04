import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rootDir } from '../apps/server/test/paths.ts'
import { denoPath } from '../packages/pml/test/test-workspace.ts'
import { blocksIn, readPage, shellIn } from './shell-in.ts'

const run = promisify(execFile)
/** npm trees are installed from the network. */
const INSTALL_TIMEOUT_MS = 300_000

/** A copy of the clone, removed with everything that the commands create. */
let clone: string
let env: Record<string, string>
let stop: () => Promise<unknown>
let blocks: string[]

beforeAll(async () => {
  blocks = blocksIn(await readPage('README.md'), 'sh')
  clone = await mkdtemp(join(tmpdir(), 'pml-readme-'))
  await symlink(join(rootDir, 'node_modules'), join(clone, 'node_modules'))
  const { PATH = '', HOME = '' } = process.env
  const [start = ''] = blocks
  const server = spawn('bash', ['-c', `exec ${start}`], {
    cwd: rootDir,
    env: { PATH, HOME, PORT: '0', PML_DATA_DIR: join(clone, 'data') },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  stop = () => {
    server.kill('SIGTERM')
    return once(server, 'exit')
  }
  env = {
    PATH,
    HOME,
    XDG_CONFIG_HOME: join(clone, 'config'),
    XDG_STATE_HOME: join(clone, 'state'),
    PML_CACHE_DIR: join(clone, 'cache'),
    PML_DENO: denoPath,
    PML_REGISTRY_URL: await listeningUrl(createInterface(server.stdout)),
  }
}, INSTALL_TIMEOUT_MS)
afterAll(async () => {
  await stop()
  await rm(clone, { recursive: true })
})

async function listeningUrl(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) if (line.includes('"listening"')) return JSON.parse(line).url
  throw new Error('npm start ended before it was listening')
}

/** The output of commands that are pasted into a shell. */
async function paste(commands: string, folder = clone): Promise<string> {
  const here = commands
    .replaceAll('localhost:3000', new URL(env['PML_REGISTRY_URL'] ?? '').host)
    .replaceAll('npx --yes deno@2.9.6', denoPath)
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env })
  return stdout
}

describe('the commands of the README', () => {
  it(
    'lock a server and call one of its tools',
    async () => {
      const [shown] = blocksIn(await readPage('README.md'), 'text')
      expect(await paste(blocks[1] ?? '')).toBe(shown)
    },
    INSTALL_TIMEOUT_MS,
  )

  it(
    'set up a project for Claude Code from the tarball',
    async () => {
      const [, , pack = '', setUp = ''] = blocks
      const { stdout } = await run('bash', ['-c', pack], { cwd: rootDir, env })
      const tarball = stdout.trim().split('\n').at(-1) ?? ''
      const project = join(clone, 'project')
      await mkdir(project)
      await writeFile(join(project, 'package.json'), '{"private":true}')
      await copyFile(tarball, join(project, basename(tarball)))
      await paste(setUp, project)
      const servers = JSON.parse(await readFile(join(project, '.mcp.json'), 'utf8'))
      expect(servers.mcpServers.pml.args).toEqual([expect.stringMatching(/pml\.js$/), 'serve'])
      expect(await readFile(join(project, '.claude', 'settings.json'), 'utf8')).toContain(
        'hook --agent claude',
      )
      expect(await readFile(join(project, '.pml', 'mcp.lock'), 'utf8')).toContain('pml.mcp.memory.server')
    },
    INSTALL_TIMEOUT_MS,
  )

  it('are all run by this test', () => {
    expect(blocks).toHaveLength(4)
  })
})

describe('the run at the top of the README', () => {
  it('equals the output of a replay', async () => {
    const [capture = ''] = blocksIn(await readPage('README.md'), 'console')
    const [, before, after] = capture.split(/^\$ pml run .*\n/m)
    const page = await shellIn('docs/walkthrough.md', 'See a change stop a run')
    expect(runsIn(page.replaceAll('npx --no pml', '$ pml'))).toEqual(runsIn(capture))
    const printed = await paste(page)
    const [, replayed = ''] = printed.split('rule text:shout\n')
    const [first, second = ''] = replayed.split(/^fqdn [^]*?^created .*\n(?:name .*\n)?/m)
    expect(first).toBe(before?.trimEnd().concat('\n'))
    expect(second).toMatch(/exit 3\n$/)
    expect(steady(second.replace('exit 3\n', ''))).toBe(steady(after ?? ''))
  })
})

/** The typed `pml run` commands, without the text around them. */
function runsIn(text: string): string[] {
  return Array.from(text.matchAll(/^\$ (pml run .*\}')/gm), ([, typed = '']) => typed)
}

/** Removes what differs from run to run. */
function steady(text: string): string {
  return text
    .replace(/Answer before \S+: pml continue \S+/, 'Answer before <time>: pml continue <id>')
    .trimEnd()
}

describe('the commands of the walkthrough', () => {
  it(
    'fetch, publish, set up the gateway and search',
    async () => {
      const headings = [
        'Fetch something',
        'Publish over HTTP',
        'Give your agent one MCP server',
        "Use the registry's tools",
      ]
      const sections = await Promise.all(headings.map((heading) => shellIn('docs/walkthrough.md', heading)))
      const printed = await paste(sections.join('echo ----\n'))
      const [fetched, published, gateway, found] = printed.split('----\n')
      expect(fetched).toMatch(/^HTTP\/1\.1 302 [^]*^HTTP\/1\.1 200 [^]*^{ slug: "hello-world" }$/m)
      expect(published).toMatch(/^HTTP\/1\.1 201 [^]*"fqdn":"acme\.tools\.text\.whisper\.[0-9a-f]{4}"/m)
      expect(gateway).toMatch(/^filesystem +\S+[^]*^memory +\S+[^]*\.mcp\.json: written/m)
      expect(found?.match(/pml\.std\.string\.slugify/g)).toHaveLength(2)
    },
    INSTALL_TIMEOUT_MS,
  )
})
