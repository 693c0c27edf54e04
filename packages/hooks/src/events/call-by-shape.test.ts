import { describe, expect, it } from 'vitest'
import type { AgentName } from '../agents/find-agent.ts'
import type { JsonObject, ToolCall } from '../event.ts'
import { agentNames, findAdapter } from '../agents/index.ts'

const patch = '\n*** Begin Patch\n*** Delete File: a\n*** End Patch'
const edit = { before: 'a', after: 'b', all: false }

const shapes: readonly [string, JsonObject, JsonObject][] = [
  ['WRITE', { file_path: 'a.js', content: 'x' }, { kind: 'write', path: 'a.js', content: 'x' }],
  ['saveFile', { filePath: 'a.js', contents: 'x' }, { kind: 'write', path: 'a.js', content: 'x' }],
  ['edit_file', { target_file: 'a.js', code_edit: 'x' }, { kind: 'write', path: 'a.js', content: 'x' }],
  ['write_to_file', { TargetFile: 'a.js', CodeContent: '' }, { kind: 'write', content: '' }],
  ['StrReplace', { path: 'a.js', old_string: 'a', new_string: 'b' }, { kind: 'edit', edits: [edit] }],
  ['oldest', { path: 'a.js', oldStr: 'a', newStr: 'b' }, { kind: 'edit', edits: [edit] }],
  [
    'insert',
    { path: 'a.js', insert_line: 1, new_str: 'b' },
    { kind: 'edit', edits: [{ before: '', after: 'b', all: false }] },
  ],
  [
    'ReplaceAll',
    { path: 'a.js', old_string: 'a', new_string: 'b', replaceAll: true },
    { kind: 'edit', edits: [{ ...edit, all: true }] },
  ],
  [
    'many',
    {
      file: 'a.js',
      edits: [
        { old_text: 'a', new_text: 'b' },
        { new_text: 'b', old_text: 'a' },
      ],
    },
    { kind: 'edit', path: 'a.js', edits: [edit, edit] },
  ],
  [
    'EditNotebook',
    { notebook_path: 'n.ipynb', new_source: 'x', cell_id: 'c' },
    { kind: 'notebook', path: 'n.ipynb', source: 'x', cell: 'c' },
  ],
  ['execute', { command: 'ls' }, { kind: 'shell', command: 'ls', dialect: 'bash' }],
  ['execute', { command: 'ls', working_directory: 'a b' }, { kind: 'shell', command: "cd 'a b' && ls" }],
  ['seek', { path: 'a.js', search: 'a', replace: 'b' }, { kind: 'edit', edits: [edit] }],
  [
    'chunks',
    { TargetFile: 'a.js', ReplacementChunks: [{ TargetContent: 'a', ReplacementContent: 'b' }] },
    { kind: 'edit', path: 'a.js', edits: [edit] },
  ],
  ['pwsh', { command: 'ls' }, { kind: 'shell', dialect: 'powershell' }],
  ['exec', { cmd: ['sh', '-c', 'ls > a'] }, { kind: 'shell', command: 'ls > a' }],
  ['exec', { cmd: ['/bin/zsh', '-lc', 'ls'] }, { kind: 'shell', command: 'ls' }],
  ['exec', { cmd: ['sh', '-c', 'ls', 'x'] }, { kind: 'shell', command: 'sh -c ls x' }],
  ['exec', { cmd: ['cp', 'a b', '$x'] }, { kind: 'shell', command: "cp 'a b' '$x'" }],
  ['any', { patch }, { kind: 'patch', patch }],
  ['any', { input: patch }, { kind: 'patch', patch }],
  ['any', { command: ['apply_patch', patch] }, { kind: 'patch', patch }],
  ['read', { path: 'a.js' }, { kind: 'other', input: { path: 'a.js' } }],
  ['strange', { path: '', content: 'x' }, { kind: 'other' }],
  ['strange', { path: ['a.js'], content: { a: 1 }, command: [7] }, { kind: 'other' }],
  ['strange', { path: 'a.js', edits: [{ old_text: 'a' }, null] }, { kind: 'other' }],
  ['constructor', {}, { kind: 'other', input: {} }],
  ['__proto__', {}, { kind: 'other', input: {} }],
]

describe('an unknown tool', () => {
  const cases = agentNames
    .filter((agent) => agent !== 'windsurf')
    .flatMap((agent) => shapes.map(([tool, input, call]) => ({ agent, tool, input, call })))
    // In opencode that is the form of a tool of an MCP server.
    .filter(({ agent, tool }) => agent !== 'opencode' || !/^[^_]+_/.test(tool))

  it.each(cases)('of $agent is classified by its input: $tool $input', ({ agent, tool, input, call }) => {
    expect(callOf(agent, tool, input)).toMatchObject({ tool, ...call })
  })

  it.each(cases)('of $agent keeps the name of its server: $input', ({ agent, input }) => {
    const tool = agent === 'cursor' ? 'MCP:db:run' : 'mcp__db__run'
    expect(callOf(agent, tool, input)).toMatchObject({
      kind: 'mcp',
      server: 'db',
      name: 'run',
      args: input,
    })
  })
})

function callOf(agent: AgentName, tool: string, input: JsonObject): ToolCall | undefined {
  const events: Record<AgentName, JsonObject> = {
    claude: { hook_event_name: 'PreToolUse', cwd: '/p', tool_name: tool, tool_input: input },
    codex: { hook_event_name: 'PreToolUse', cwd: '/p', tool_name: tool, tool_input: input },
    copilot: { cwd: '/p', toolName: tool, toolArgs: input },
    cursor: { hook_event_name: 'preToolUse', cwd: '/p', tool_name: tool, tool_input: input },
    gemini: { hook_event_name: 'BeforeTool', cwd: '/p', tool_name: tool, tool_input: input },
    opencode: { hook_event_name: 'tool.execute.before', cwd: '/p', tool_name: tool, tool_input: input },
    windsurf: {},
  }
  return findAdapter(agent)?.parse(events[agent]).call
}
