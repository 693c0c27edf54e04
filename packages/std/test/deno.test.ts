import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allCases } from './all-cases.ts'
import type { NamedCase, Outcome } from './case.ts'
import { loadTools } from './load-tools.ts'
import { runInDeno } from './run-in-deno.ts'
import type { Permissions } from './run-in-deno.ts'
import { fillArgs, makeStage, observe, wanted } from './stage.ts'
import { startServer } from './start-server.ts'

const tools = new Map((await loadTools()).map((tool) => [`${tool.module}.${tool.name}`, tool]))
const stage = await makeStage()
let server: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server.close()
  await stage.remove()
})

describe('in Deno with the declared permissions and no others', () => {
  const ran = new Map<NamedCase, { dir: string; outcome: Outcome | undefined }>()

  beforeAll(async () => {
    for (const [permissions, cases] of groupByPermissions(allCases)) await runAll(permissions, cases)
  })

  for (const named of allCases) {
    it(`${named.title}`, async () => {
      const { dir = '', outcome } = ran.get(named) ?? {}
      const where = { path: join(stage.root, dir), shown: dir, origin: server.origin }
      expect(await observe(named.case, outcome, where)).toEqual(wanted(named.case))
    })
  }

  async function runAll(permissions: Permissions, cases: readonly NamedCase[]): Promise<void> {
    const { dirs, outcomes } = await run(cases, permissions)
    for (const [index, named] of cases.entries()) {
      ran.set(named, { dir: dirs[index] ?? '', outcome: outcomes[index] })
    }
  }
})

describe('in Deno without one of the declared permissions', () => {
  const calls = allCases.filter((named) => 'result' in named.case)
  const declared = [...tools].flatMap(([name, tool]) =>
    Object.keys(permissionsOf(tool.exports)).map((kind) => ({ name, kind })),
  )
  const refused = new Set<string>()

  beforeAll(async () => {
    for (const [permissions, cases] of groupByPermissions(calls)) {
      for (const kind of Object.keys(permissions)) {
        const rest = Object.fromEntries(Object.entries(permissions).filter(([other]) => other !== kind))
        const { outcomes } = await run(cases, rest)
        for (const [index, named] of cases.entries()) {
          if (isRefusal(outcomes[index])) refused.add(`${named.module}.${named.case.tool} ${kind}`)
        }
      }
    }
  })

  it.each(declared)('$name is refused without $kind', ({ name, kind }) => {
    expect(refused).toContain(`${name} ${kind}`)
  })

  it('read_file says which permission it lacks', async () => {
    const read = allCases.filter((named) => named.case.tool === 'read_file' && 'result' in named.case)
    const { outcomes } = await run(read, {})
    expect(outcomes[0]).toEqual({
      error: { message: expect.stringContaining('Requires read access'), names: ['NotCapable'] },
    })
  })

  it('read_file cannot leave the directory it was given', async () => {
    const url = tools.get('filesystem.read_file')?.url ?? ''
    const options = { permissions: { read: ['.'] }, cwd: stage.root, host: server.host }
    const [outcome] = await runInDeno([{ url, args: { path: '/etc/passwd' } }], options)
    expect(outcome).toMatchObject({ error: { names: ['NotCapable'] } })
  })
})

describe('in Deno, a link that stands inside', () => {
  const calls = [
    { tool: 'filesystem.read_file', args: { path: 'file' } },
    { tool: 'filesystem.read_file', args: { path: 'dir/secret' } },
    { tool: 'filesystem.read_lines', args: { path: 'file' } },
    { tool: 'filesystem.read_json', args: { path: 'file' } },
    { tool: 'filesystem.list_directory', args: { path: 'dir' } },
    { tool: 'filesystem.file_info', args: { path: 'dir/secret' } },
    { tool: 'filesystem.find_files', args: { path: 'dir', pattern: '**' } },
    { tool: 'filesystem.search_text', args: { path: 'dir', text: '1' } },
    { tool: 'filesystem.copy_file', args: { from: 'file', to: 'copy' } },
    { tool: 'filesystem.copy_file', args: { from: 'own', to: 'dir/new' } },
    { tool: 'filesystem.move_file', args: { from: 'dir/secret', to: 'moved' } },
    { tool: 'filesystem.move_file', args: { from: 'own', to: 'dir/new' } },
    { tool: 'filesystem.remove_file', args: { path: 'dir/secret' } },
    { tool: 'filesystem.write_file', args: { path: 'file', content: 'changed' } },
    { tool: 'filesystem.write_file', args: { path: 'dir/a/b', content: '', createDirectories: true } },
    { tool: 'filesystem.append_file', args: { path: 'file', content: 'changed' } },
    { tool: 'filesystem.append_file', args: { path: 'dir/new', content: 'changed' } },
    { tool: 'filesystem.write_json', args: { path: 'file', value: 2 } },
    { tool: 'filesystem.write_json', args: { path: 'dir/new', value: 2 } },
    { tool: 'filesystem.make_directory', args: { path: 'dir/a/b' } },
    { tool: 'crypto.hash_file', args: { path: 'file' } },
  ]
  const dangling = [
    { tool: 'filesystem.write_file', args: { path: 'nowhere', content: '' } },
    { tool: 'filesystem.append_file', args: { path: 'nowhere', content: '' } },
    { tool: 'filesystem.write_json', args: { path: 'nowhere', value: 2 } },
    { tool: 'filesystem.copy_file', args: { from: 'own', to: 'nowhere', overwrite: true } },
    { tool: 'filesystem.make_directory', args: { path: 'nowhere' } },
  ]

  it('lets no tool reach outside', async () => {
    const outside = join(stage.root, 'outside')
    const inside = join(stage.root, 'inside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret'), '1')
    await mkdir(inside)
    await writeFile(join(inside, 'own'), '')
    await symlink(outside, join(inside, 'dir'))
    await symlink(join(outside, 'secret'), join(inside, 'file'))
    await symlink(join(outside, 'none'), join(inside, 'nowhere'))

    const permissions = { read: ['.'], write: ['.'] }
    const made = [...calls, ...dangling].map(({ tool, args }) => ({ url: tools.get(tool)?.url ?? '', args }))
    const outcomes = await runInDeno(made, { permissions, cwd: inside, host: server.host })
    const reached = calls.filter((_, index) => !isRefusal(outcomes[index]))
    expect(reached).toEqual([])
    expect(outcomes.slice(calls.length)).toEqual(
      dangling.map(() => ({
        error: { message: expect.stringContaining('is a link that leads nowhere'), names: ['Error'] },
      })),
    )
    expect(await readdir(outside)).toEqual(['secret'])
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('1')
    expect((await readdir(inside)).sort()).toEqual(['dir', 'file', 'nowhere', 'own'])
  })
})

async function run(
  cases: readonly NamedCase[],
  permissions: Permissions,
): Promise<{ dirs: string[]; outcomes: Outcome[] }> {
  const dirs: string[] = []
  for (const named of cases) dirs.push(await stage.prepare(named.case))
  const calls = cases.map((named, index) => ({
    url: tools.get(`${named.module}.${named.case.tool}`)?.url ?? '',
    args: fillArgs(named.case, { dir: dirs[index] ?? '', origin: server.origin }),
  }))
  return { dirs, outcomes: await runInDeno(calls, { permissions, cwd: stage.root, host: server.host }) }
}

function groupByPermissions(cases: readonly NamedCase[]): [Permissions, NamedCase[]][] {
  const groups = new Map<string, [Permissions, NamedCase[]]>()
  for (const named of cases) {
    const permissions = permissionsOf(tools.get(`${named.module}.${named.case.tool}`)?.exports ?? {})
    const key = JSON.stringify(permissions)
    const group = groups.get(key) ?? [permissions, []]
    group[1].push(named)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function permissionsOf(exports: Readonly<Record<string, unknown>>): Permissions {
  return exports.permissions as Permissions
}

function isRefusal(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && 'error' in outcome && outcome.error.names.includes('NotCapable')
}
