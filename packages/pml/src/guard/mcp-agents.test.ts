import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AgentName } from '@pml/hooks'
import type { HookedProject } from '../../test/hook-place.ts'
import { lockServers, type LockedServers } from '../../test/locked-servers.ts'
import type { HookPlace } from './world/hook-place.ts'
import { runHook } from './run-hook.ts'

let locked: LockedServers
let project: HookedProject
beforeAll(async () => {
  locked = await lockServers()
})
afterAll(() => locked.remove())
beforeEach(() => {
  project = locked.project()
})

const words = () => [
  '-y',
  `@modelcontextprotocol/server-filesystem@${locked.versions.filesystem}`,
  project.root,
]
const good = () => ({ command: 'npx', args: words() })
const bad = { command: 'npx', args: ['-y', 'evil'] }

/** The event in which an agent calls a tool of a server. */
const events: Record<AgentName, (server: string, tool: string) => object> = {
  claude: (server, tool) => project.event(`mcp__${server}__${tool}`, {}),
  codex: (server, tool) => project.event(`mcp__${server}__${tool}`, {}),
  copilot: (server, tool) => ({ cwd: project.root, toolName: `${server}-${tool}`, toolArgs: '{}' }),
  cursor: (server, tool) => ({
    hook_event_name: 'beforeMCPExecution',
    workspace_roots: [project.root],
    tool_name: tool,
    mcp_server_name: server,
    tool_input: '{}',
  }),
  gemini: (server, tool) => ({
    hook_event_name: 'BeforeTool',
    cwd: project.root,
    tool_name: `mcp_${server}_${tool}`,
    tool_input: {},
    mcp_context: { server_name: server, tool_name: tool },
  }),
  opencode: (server, tool) => ({
    hook_event_name: 'tool.execute.before',
    cwd: project.root,
    tool_name: `${server}_${tool}`,
    tool_input: {},
  }),
  windsurf: (server, tool) => ({
    agent_action_name: 'pre_mcp_tool_use',
    tool_info: { cwd: project.root, mcp_server_name: server, mcp_tool_name: tool, mcp_tool_arguments: {} },
  }),
}

async function verdictOf(agent: AgentName, event: object, over: Partial<HookPlace> = {}): Promise<string> {
  // Nobody was at work when the files changed.
  const place = { ...project.place, state: join(project.place.state, randomUUID()), ...over }
  const { exitCode, stderr } = await runHook(agent, JSON.stringify(event), place)
  return exitCode === 0 ? 'passes' : (/^BLOCKED::(\w+)/.exec(stderr)?.[1] ?? stderr)
}

const verdict = (agent: AgentName, server = 'filesystem', tool = 'read_file') =>
  verdictOf(agent, events[agent](server, tool))

/** A file below the project, or below the home where it begins with `~`. */
function write(path: string, text: string): void {
  const file = path.startsWith('~') ? join(project.home, path.slice(2)) : join(project.root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const json = (key: string) => (servers: object) => JSON.stringify({ theme: 'dark', [key]: servers })
const mcpServers = json('mcpServers')
const perFolder = (servers: object) =>
  JSON.stringify({ numStartups: 3, projects: { [project.root]: { mcpServers: servers } } })
const toml = (servers: object) =>
  Object.entries(servers)
    .map(([name, server]) => {
      const members = Object.entries(server as object).map(
        ([key, value]) => `${key} = ${JSON.stringify(value)}`,
      )
      return `[mcp_servers.${JSON.stringify(name)}]\n${members.join('\n')}\n`
    })
    .join('\n')

/** Its command and arguments are one list. */
const opencode = (servers: object) =>
  JSON.stringify({
    mcp: Object.fromEntries(
      Object.entries(servers).map(([name, { command, args, ...rest }]) => [
        name,
        { type: 'local', command: [command, ...args], ...rest },
      ]),
    ),
  })

const places: readonly [AgentName, string, (servers: object) => string][] = [
  ['claude', '.mcp.json', mcpServers],
  ['claude', '~/.claude.json', mcpServers],
  ['claude', '~/.claude.json', perFolder],
  ['codex', '.codex/config.toml', toml],
  ['codex', '~/.codex/config.toml', toml],
  ['copilot', '.mcp.json', mcpServers],
  ['copilot', '.github/mcp.json', mcpServers],
  ['copilot', '.vscode/mcp.json', json('servers')],
  ['copilot', '~/.copilot/mcp-config.json', mcpServers],
  ['cursor', '.cursor/mcp.json', mcpServers],
  ['cursor', '~/.cursor/mcp.json', mcpServers],
  ['gemini', '.gemini/settings.json', mcpServers],
  ['gemini', '~/.gemini/settings.json', mcpServers],
  ['opencode', 'opencode.json', opencode],
  ['opencode', '.opencode/opencode.jsonc', opencode],
  ['opencode', '~/.config/opencode/opencode.json', opencode],
  ['windsurf', '~/.codeium/windsurf/mcp_config.json', mcpServers],
  ['windsurf', '~/.codeium/mcp_config.json', mcpServers],
]

describe('servers in the files of an agent', () => {
  it.each(places)('%s: %s', async (agent, path, print) => {
    write(path, print({ filesystem: good() }))
    expect(await verdict(agent)).toBe('passes')
    write(path, print({ filesystem: bad }))
    expect(await verdict(agent)).toBe('MCP_CHANGED')
    write(path, print({ filesystem: { ...good(), disabled: true, enabled: false }, other: good() }))
    expect(await verdict(agent)).toBe('passes')
    expect(await verdict(agent, 'other')).toBe('MCP_UNLOCKED')
    write(path, print({ filesystem: { ...bad, disabled: true } }))
    expect(await verdict(agent)).toBe('MCP_CHANGED')
    write(path, '{"mcpServers": {"filesystem": {"command"')
    const { stderr } = await runHook(
      agent,
      JSON.stringify(events[agent]('filesystem', 'read_file')),
      project.place,
    )
    expect(stderr).toMatch(
      /^BLOCKED::POLICY_UNREADABLE\n[^]*\nCannot read .+: expected (?:JSON|TOML); fix it, or remove it\.\n/,
    )
  })

  it.each(places)('one bad file of two is enough, whichever it is: %s: %s', async (agent, path, print) => {
    for (const [one, other, printOther] of places.filter(([name, file]) => name === agent && file !== path)) {
      project = locked.project()
      write(path, print({ filesystem: good() }))
      expect(await verdict(one)).toBe('passes')
      write(other, printOther({ filesystem: bad }))
      expect(await verdict(one), other).toBe('MCP_CHANGED')
    }
  })

  it.each<[AgentName, string, string]>([
    ['claude', 'CLAUDE_CONFIG_DIR', '.claude.json'],
    ['codex', 'CODEX_HOME', 'config.toml'],
    ['copilot', 'COPILOT_HOME', 'mcp-config.json'],
  ])('%s: in the folder that %s names', async (agent, variable, file) => {
    const print = file.endsWith('toml') ? toml : mcpServers
    const call = () =>
      verdictOf(agent, events[agent]('filesystem', 'read_file'), {
        env: { [variable]: join(project.home, 'moved') },
      })
    write(`~/moved/${file}`, print({ filesystem: good() }))
    expect(await call()).toBe('passes')
    write(`~/moved/${file}`, print({ filesystem: bad }))
    expect(await call()).toBe('MCP_CHANGED')
  })

  it('claude: of the administrator', async () => {
    mkdirSync(project.place.managed)
    writeFileSync(join(project.place.managed, 'managed-mcp.json'), mcpServers({ filesystem: bad }))
    write('.mcp.json', mcpServers({ filesystem: good() }))
    expect(await verdict('claude')).toBe('MCP_CHANGED')
  })

  it('may have comments, trailing commas and a byte order mark', async () => {
    const server = JSON.stringify(good())
    write('.cursor/mcp.json', `\uFEFF// mine\n{"mcpServers": {"filesystem": ${server},},}\n`)
    expect(await verdict('cursor')).toBe('passes')
    write('.cursor/mcp.json', '')
    expect(await verdict('cursor')).toBe('MCP_CHANGED')
  })

  it('cannot be hidden in a prototype', async () => {
    write('~/.cursor/mcp.json', mcpServers({ filesystem: good() }))
    write('.cursor/mcp.json', `{"mcpServers": {"__proto__": {"filesystem": ${JSON.stringify(bad)}}}, /**/ }`)
    expect(await verdict('cursor')).toBe('POLICY_UNREADABLE')
    project = locked.project()
    write('.codex/config.toml', '[mcp_servers.__proto__]\ncommand = "evil"\n')
    expect(await verdict('codex', '__proto__')).toBe('MCP_UNLOCKED')
  })
})

describe('how an agent writes a server', () => {
  const url = 'https://web.example.com/mcp'

  it.each<[AgentName, string, object, string]>([
    ['claude', '.mcp.json', { type: 'http', url }, 'passes'],
    ['claude', '.mcp.json', { type: 'sse', url }, 'passes'],
    ['claude', '.mcp.json', { type: 'http', url, headersHelper: './x' }, 'MCP_CHANGED'],
    ['copilot', '.vscode/mcp.json', { type: 'http', url, tools: ['*'] }, 'passes'],
    ['cursor', '.cursor/mcp.json', { url, headers: { A: '${env:A}' } }, 'passes'],
    ['gemini', '.gemini/settings.json', { httpUrl: url, trust: true }, 'passes'],
    ['gemini', '.gemini/settings.json', { httpUrl: 'https://evil.example', url }, 'MCP_CHANGED'],
    ['gemini', '.gemini/settings.json', { httpUrl: 'https://evil.example' }, 'MCP_CHANGED'],
    ['opencode', 'opencode.json', { type: 'remote', url }, 'passes'],
    ['opencode', 'opencode.json', { type: 'remote', url: `${url}2` }, 'MCP_CHANGED'],
    ['windsurf', '~/.codeium/windsurf/mcp_config.json', { serverUrl: url }, 'passes'],
    ['windsurf', '~/.codeium/windsurf/mcp_config.json', { serverUrl: `${url}2` }, 'MCP_CHANGED'],
  ])('%s, %s: %o %s', async (agent, path, server, expected) => {
    const keys: Record<string, string> = { '.vscode/mcp.json': 'servers', 'opencode.json': 'mcp' }
    write(path, json(keys[path] ?? 'mcpServers')({ web: server }))
    expect(await verdict(agent, 'web', 'shout')).toBe(expected)
  })

  it('codex passes variables on by name, and may run it elsewhere', async () => {
    for (const [more, expected] of [
      ['env_vars = ["TOKEN"]', 'passes'],
      ['env_vars = ["NODE_OPTIONS"]', 'MCP_CHANGED'],
      ['env_vars = [{ name = "NODE_OPTIONS", source = "local" }]', 'MCP_CHANGED'],
      ['env = { TOKEN = "x" }', 'passes'],
      ['env = { LD_PRELOAD = "x" }', 'MCP_CHANGED'],
      ['cwd = "/tmp"', 'MCP_CHANGED'],
    ]) {
      const line = 'command = "node"\nargs = ["server.mjs", "--token", "t", "p"]'
      write('.codex/config.toml', `[mcp_servers.script]\n${line}\n${more}\nstartup_timeout_sec = 3\n`)
      expect(await verdict('codex', 'script', 'echo'), more).toBe(expected)
    }
  })
})

describe('whose tool it is', () => {
  it('copilot: a name with dashes may be of any server that it begins with', async () => {
    write('.mcp.json', mcpServers({ filesystem: good(), 'filesystem-x': bad }))
    expect(await verdict('copilot', 'filesystem', 'read_file')).toBe('passes')
    expect(await verdict('copilot', 'filesystem', 'x-run')).toBe('MCP_UNLOCKED')
  })

  it('gemini: a name with underscores may be of any server that it begins with', async () => {
    write('.gemini/settings.json', mcpServers({ filesystem: good(), filesystem_x: bad }))
    const named = (tool: string) => ({ ...events.gemini('', ''), tool_name: tool, mcp_context: undefined })
    expect(await verdictOf('gemini', named('mcp_filesystem_read'))).toBe('passes')
    expect(await verdictOf('gemini', named('mcp_filesystem_x_run'))).toBe('MCP_UNLOCKED')
  })

  it('cursor: says how it started the server, where it does not say what it is called', async () => {
    write('.cursor/mcp.json', mcpServers({ filesystem: good(), web: { url: 'https://web.example.com/mcp' } }))
    const told = (launch: object) => ({ ...events.cursor('', 'x'), mcp_server_name: undefined, ...launch })
    const line = ['npx', ...words()].join(' ')
    expect(await verdictOf('cursor', told({ command: line }))).toBe('passes')
    expect(await verdictOf('cursor', told({ command: 'npx' }))).toBe('passes')
    expect(await verdictOf('cursor', told({ url: 'https://web.example.com/mcp' }))).toBe('passes')
    expect(await verdictOf('cursor', told({ command: `${line} /` }))).toBe('MCP_UNLOCKED')
    expect(await verdictOf('cursor', told({ url: 'https://evil.example/mcp' }))).toBe('MCP_UNLOCKED')
    expect(await verdictOf('cursor', told({}))).toBe('MCP_UNLOCKED')
    project.write('.pml.json', '{"permissions": {"allow": ["*"], "deny": ["filesystem:x"]}}')
    expect(await verdictOf('cursor', told({ command: line }))).toBe('MCP_DENIED')
  })

  it('cursor: the address that variables made is the one that counts', async () => {
    const url = 'https://${REGION}.example.com/mcp?key=${KEY}'
    write('.cursor/mcp.json', mcpServers({ region: { url } }))
    for (const server of ['region', undefined]) {
      const told = (made: string) => ({ ...events.cursor('', 'x'), mcp_server_name: server, url: made })
      expect(await verdictOf('cursor', told('https://eu.example.com/mcp?key=a'))).toBe('passes')
      const elsewhere = told('https://evil.example/.example.com/mcp?key=a')
      expect(await verdictOf('cursor', elsewhere)).toBe('MCP_CHANGED')
    }
  })

  it('is found in one pass, whatever its file has', async () => {
    const args = [`${'${x}'.repeat(200)}y`, project.root]
    write('.cursor/mcp.json', mcpServers({ filesystem: { command: 'npx', args } }))
    const told = { ...events.cursor('filesystem', 'x'), command: `npx ${'x'.repeat(100_000)}` }
    expect(await verdictOf('cursor', told)).toBe('MCP_CHANGED')
  })

  it('is refused where the agent says that it started something else than its file has', async () => {
    write('.cursor/mcp.json', mcpServers({ filesystem: { ...good(), args: withVariable() } }))
    const told = (launch: object) => ({ ...events.cursor('filesystem', 'x'), ...launch })
    const line = ['npx', ...words()].join(' ')
    expect(await verdictOf('cursor', told({ command: line }))).toBe('passes')
    expect(await verdictOf('cursor', told({ command: 'evil' }))).toBe('MCP_CHANGED')
    expect(await verdictOf('cursor', told({ url: 'https://evil.example' }))).toBe('MCP_CHANGED')
    write('.gemini/settings.json', mcpServers({ filesystem: good() }))
    const context = { server_name: 'filesystem', tool_name: 'x', command: 'npx' }
    const gemini = (args: unknown) => ({
      ...events.gemini('filesystem', 'x'),
      mcp_context: { ...context, args },
    })
    expect(await verdictOf('gemini', gemini(words()))).toBe('passes')
    expect(await verdictOf('gemini', gemini(['-y', 'evil']))).toBe('MCP_CHANGED')
  })

  const withVariable = () => [...words().slice(0, 2), '${workspaceFolder}']
})
