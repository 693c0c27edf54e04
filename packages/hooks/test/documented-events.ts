import type { AgentName } from '../src/agents/find-agent.ts'
import type { HookEvent, JsonObject, ToolCall } from '../src/event.ts'

/** An event as its agent documents it, and its parsed form. */
interface DocumentedEvent {
  readonly title: string
  readonly agent: AgentName
  readonly event: JsonObject
  readonly expected: Partial<HookEvent>
}

const claude = {
  session_id: 'abc123',
  transcript_path: '/home/a/.claude/projects/p/abc123.jsonl',
  cwd: '/home/a/project',
  permission_mode: 'default',
  effort: { level: 'medium' },
  hook_event_name: 'PreToolUse',
  tool_use_id: 'toolu_01',
}
const codex = {
  session_id: 's',
  turn_id: 't',
  transcript_path: null,
  cwd: '/home/a/project',
  model: 'gpt-5',
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  tool_use_id: 'call_1',
}
const copilot = { sessionId: 's', timestamp: 1704614600000, cwd: '/home/a/project' }
const copilotAsClaude = {
  hook_event_name: 'PreToolUse',
  session_id: 's',
  timestamp: '2026-11-17T08:00:00Z',
  cwd: '/home/a/project',
}
const cursor = {
  conversation_id: 'c',
  generation_id: 'g',
  model: 'm',
  cursor_version: '2.0.77',
  workspace_roots: ['/home/a/project'],
  user_email: null,
}
const gemini = {
  session_id: 's',
  transcript_path: '/home/a/.gemini/t.json',
  cwd: '/home/a/project',
  hook_event_name: 'BeforeTool',
  timestamp: '2026-11-17T08:00:00Z',
}
const windsurf = { trajectory_id: 't', execution_id: 'e', timestamp: '2026-11-17T08:00:00Z' }

const opencode = {
  hook_event_name: 'tool.execute.before',
  session_id: 'ses_1',
  tool_use_id: 'call_1',
  cwd: '/home/a/project',
}

const write = { file_path: '/home/a/project/a.js', content: 'let a' }
const edit = { file_path: '/home/a/project/a.js', old_string: 'a', new_string: 'b' }
const patch = '*** Begin Patch\n*** Add File: a.js\n+let a\n*** End Patch'

export const documentedEvents: readonly DocumentedEvent[] = [
  ...of('claude', [
    tool(claude, 'Write', write, { kind: 'write', path: write.file_path, content: 'let a' }),
    tool(claude, 'Edit', { ...edit, replace_all: true }, edited(true)),
    tool(claude, 'Edit', edit, edited(false)),
    tool(
      claude,
      'MultiEdit',
      { file_path: edit.file_path, edits: [edit, { ...edit, replace_all: true }] },
      { kind: 'edit', path: edit.file_path, edits: [...edited(false).edits, ...edited(true).edits] },
    ),
    tool(
      claude,
      'NotebookEdit',
      { notebook_path: '/n.ipynb', cell_id: 'c1', new_source: 'x', edit_mode: 'insert' },
      { kind: 'notebook', path: '/n.ipynb', cell: 'c1', source: 'x', mode: 'insert' },
    ),
    tool(
      claude,
      'NotebookEdit',
      { notebook_path: '/n.ipynb', cell_id: 'c1', edit_mode: 'delete' },
      { kind: 'notebook', path: '/n.ipynb', cell: 'c1', source: '', mode: 'delete' },
    ),
    tool(claude, 'Bash', { command: 'ls -l', description: 'List' }, shell('ls -l')),
    tool(claude, 'PowerShell', { command: 'dir' }, { ...shell('dir'), dialect: 'powershell' }),
    tool(claude, 'mcp__memory__create_x', { a: 1 }, mcp('memory', 'create_x')),
    tool(claude, 'mcp__plugin_p_srv__do__it', { a: 1 }, mcp('plugin_p_srv', 'do__it')),
    tool(
      claude,
      'Read',
      { file_path: '/a', offset: 1 },
      { kind: 'other', input: { file_path: '/a', offset: 1 } },
    ),
    tool(
      claude,
      'Edit',
      { path: '/a.js', old_str: 'a', new_str: 'b' },
      {
        kind: 'edit',
        path: '/a.js',
        edits: edited(false).edits,
      },
    ),
    tool(claude, 'write', write, { kind: 'write', path: write.file_path, content: 'let a' }),
    {
      title: 'a permission request',
      event: { ...claude, hook_event_name: 'PermissionRequest', tool_name: 'Write', tool_input: write },
      expected: { moment: 'before-tool', mayAsk: false, call: written('Write') },
    },
    ...['plan', 'acceptEdits'].map((mode) => asked(mode, true)),
    ...['auto', 'dontAsk', 'bypassPermissions', 'new-mode'].map((mode) => asked(mode, false)),
    {
      title: 'the start of a session',
      event: { ...claude, hook_event_name: 'SessionStart', source: 'startup' },
      expected: { moment: 'session-start', call: undefined, session: 'abc123', mayAsk: false },
    },
    {
      title: 'a change of the configuration',
      event: {
        ...claude,
        hook_event_name: 'ConfigChange',
        source: 'project_settings',
        file_path: '/home/a/project/.claude/settings.json',
      },
      expected: {
        moment: 'config-change',
        call: undefined,
        changedFile: '/home/a/project/.claude/settings.json',
      },
    },
    {
      title: 'a moment that is none of ours',
      event: { ...claude, hook_event_name: 'PreModelSwitch', tool_name: 7 },
      expected: { moment: 'other', call: undefined, changedFile: undefined },
    },
  ]),
  ...of('codex', [
    tool(codex, 'Bash', { command: 'ls' }, shell('ls')),
    tool(codex, 'apply_patch', { command: patch }, { kind: 'patch', patch }),
    tool(codex, 'apply_patch', { input: patch }, { kind: 'patch', patch }),
    tool(codex, 'apply_patch', { patch }, { kind: 'patch', patch }),
    tool(codex, 'apply_patch', { command: ['apply_patch', patch] }, { kind: 'patch', patch }),
    tool(codex, 'apply_patch', { command: 'no patch' }, { kind: 'patch', patch: 'no patch' }),
    tool({ ...codex, cwd: 'C:\\p' }, 'Bash', { command: 'dir' }, { ...shell('dir'), dialect: 'powershell' }),
    tool(codex, 'exec_command', { cmd: 'ls', workdir: '/tmp' }, shell('cd /tmp && ls')),
    tool(codex, 'shell', { command: ['bash', '-lc', 'echo "a"'] }, shell('echo "a"')),
    tool(codex, 'shell', { command: ['echo', "it's"] }, shell(`echo 'it'\\''s'`)),
    tool(codex, 'mcp__rmcp__echo', { a: 1 }, mcp('rmcp', 'echo')),
    {
      title: 'the start of a session',
      event: { ...codex, hook_event_name: 'SessionStart', source: 'startup' },
      expected: { moment: 'session-start', call: undefined, mayAsk: false },
    },
    {
      title: 'the end of a turn',
      event: { ...codex, hook_event_name: 'Stop' },
      expected: { moment: 'other', call: undefined },
    },
  ]),
  ...of('copilot', [
    camel('bash', JSON.stringify({ command: 'ls' }), shell('ls')),
    camel('bash', { command: 'ls' }, shell('ls')),
    camel('powershell', { command: 'dir' }, { ...shell('dir'), dialect: 'powershell' }),
    camel(
      'create',
      { path: '/a.js', file_text: 'let a' },
      { kind: 'write', path: '/a.js', content: 'let a' },
    ),
    camel('edit', JSON.stringify({ path: '/a.js', old_str: 'a', new_str: 'b' }), {
      kind: 'edit',
      path: '/a.js',
      edits: edited(false).edits,
    }),
    camel(
      'str_replace_editor',
      { command: 'create', path: '/a.js', file_text: 'let a' },
      { kind: 'write', path: '/a.js', content: 'let a' },
    ),
    camel('apply_patch', patch, { kind: 'patch', patch }),
    camel('apply_patch', { input: patch }, { kind: 'patch', patch }),
    camel('view', { path: '/a.js' }, { kind: 'other', input: { path: '/a.js' } }),
    camel('github-mcp-server-list_issues', { a: 1 }, mcp('github-mcp-server', 'list_issues')),
    tool(copilotAsClaude, 'Write', write, { kind: 'write', path: write.file_path, content: 'let a' }),
    tool(
      copilotAsClaude,
      'Write',
      { path: '/a.js', file_text: 'let a' },
      {
        kind: 'write',
        path: '/a.js',
        content: 'let a',
      },
    ),
    tool(
      copilotAsClaude,
      'Edit',
      { path: '/a.js', old_str: 'a', new_str: 'b' },
      {
        kind: 'edit',
        path: '/a.js',
        edits: edited(false).edits,
      },
    ),
    tool(copilotAsClaude, 'Edit', { input: patch }, { kind: 'patch', patch }),
    {
      title: 'a patch by the name of Edit',
      event: { ...copilotAsClaude, tool_name: 'Edit', tool_input: patch },
      expected: { moment: 'before-tool', call: { kind: 'patch', tool: 'Edit', patch } },
    },
    {
      title: 'a tool that failed',
      event: { ...copilot, toolName: 'bash', toolArgs: '{}', error: 'no' },
      expected: { moment: 'after-tool', call: undefined },
    },
    tool(copilotAsClaude, 'mcp__memory__x', { a: 1 }, mcp('memory', 'x')),
    {
      title: 'a permission request',
      event: { ...copilot, hookName: 'permissionRequest', toolName: 'bash', toolInput: { command: 'ls' } },
      expected: { moment: 'before-tool', call: { tool: 'bash', ...shell('ls') } },
    },
    {
      title: 'the result of a tool',
      event: { ...copilot, toolName: 'bash', toolArgs: '{}', toolResult: { resultType: 'success' } },
      expected: { moment: 'after-tool', call: undefined },
    },
    {
      title: 'the start of a session',
      event: { ...copilot, source: 'new', initialPrompt: 'Hello' },
      expected: { moment: 'session-start', call: undefined, session: 's' },
    },
    {
      title: 'a prompt',
      event: { ...copilot, prompt: 'Hello' },
      expected: { moment: 'other', call: undefined },
    },
  ]),
  ...of('cursor', [
    {
      title: 'a command',
      event: { ...cursor, hook_event_name: 'beforeShellExecution', command: 'ls', cwd: '/home/a/other' },
      expected: {
        moment: 'before-tool',
        session: 'c',
        cwd: '/home/a/other',
        call: { tool: 'Shell', ...shell('ls') },
        mayAsk: true,
      },
    },
    {
      title: 'a command without a folder',
      event: { ...cursor, hook_event_name: 'beforeShellExecution', command: 'ls', cwd: '' },
      expected: { cwd: '/home/a/project', mayAsk: true },
    },
    {
      title: 'a call of a local server, its input as text',
      event: {
        ...cursor,
        hook_event_name: 'beforeMCPExecution',
        tool_name: 'query',
        tool_input: '{"a":1}',
        command: 'npx mcp-server',
      },
      expected: {
        mayAsk: true,
        call: { ...mcp('', 'query'), tool: 'query', launch: { command: 'npx mcp-server' } },
      },
    },
    {
      title: 'a call of a server far away, its input as an object',
      event: {
        ...cursor,
        hook_event_name: 'beforeMCPExecution',
        tool_name: 'MCP:db:query',
        tool_input: { a: 1 },
        url: 'https://mcp.example.com',
      },
      expected: {
        call: { ...mcp('db', 'query'), tool: 'MCP:db:query', launch: { url: 'https://mcp.example.com' } },
      },
    },
    {
      title: 'a call of a server that has a name',
      event: {
        ...cursor,
        hook_event_name: 'beforeMCPExecution',
        tool_name: 'query',
        mcp_server_name: 'db',
        tool_input: { a: 1 },
      },
      expected: { call: { ...mcp('db', 'query'), tool: 'query' } },
    },
    {
      ...tool({ ...cursor, hook_event_name: 'preToolUse' }, 'Write', write, {
        kind: 'write',
        path: write.file_path,
        content: 'let a',
      }),
      title: 'the tool Write',
    },
    tool({ ...cursor, hook_event_name: 'preToolUse' }, 'Shell', { command: 'ls' }, shell('ls')),
    {
      title: 'a command on Windows',
      event: { ...cursor, hook_event_name: 'beforeShellExecution', command: 'dir', cwd: 'C:\\p' },
      expected: { call: { tool: 'Shell', ...shell('dir'), dialect: 'powershell' } },
    },
    tool({ ...cursor, hook_event_name: 'preToolUse' }, 'MCP:db:query', { a: 1 }, mcp('db', 'query')),
    tool(
      { ...cursor, hook_event_name: 'preToolUse' },
      'MCP:query',
      { command: 'x' },
      {
        kind: 'other',
        input: { command: 'x' },
      },
    ),
    {
      title: 'a file to read',
      event: { ...cursor, hook_event_name: 'beforeReadFile', file_path: '/a', content: 'secret' },
      expected: {
        moment: 'before-tool',
        mayAsk: false,
        call: { kind: 'other', tool: 'Read', input: { file_path: '/a' } },
      },
    },
    {
      title: 'a file that was edited',
      event: { ...cursor, hook_event_name: 'afterFileEdit', file_path: '/a', edits: [] },
      expected: { moment: 'other', call: undefined, cwd: '/home/a/project' },
    },
    {
      title: 'the start of a session',
      event: { ...cursor, hook_event_name: 'sessionStart' },
      expected: { moment: 'session-start', call: undefined },
    },
    {
      title: 'the end',
      event: { ...cursor, hook_event_name: 'stop', status: 'completed', loop_count: 0 },
      expected: { moment: 'other', call: undefined },
    },
  ]),
  ...of('gemini', [
    tool(gemini, 'write_file', write, { kind: 'write', path: write.file_path, content: 'let a' }),
    tool(gemini, 'replace', edit, edited(false)),
    tool(gemini, 'replace', { ...edit, expected_replacements: 3 }, edited(true)),
    tool(gemini, 'replace', { ...edit, allow_multiple: true }, edited(true)),
    tool(gemini, 'run_shell_command', { command: 'ls' }, shell('ls')),
    tool(gemini, 'run_shell_command', { command: 'ls', dir_path: "it's" }, shell(`cd 'it'\\''s' && ls`)),
    tool(
      { ...gemini, cwd: 'C:\\p' },
      'run_shell_command',
      { command: 'dir', dir_path: "it's" },
      {
        ...shell("cd 'it''s'; dir"),
        dialect: 'powershell',
      },
    ),
    {
      title: 'a call of a local server',
      event: {
        ...gemini,
        tool_name: 'mcp_my_db_query',
        tool_input: { a: 1 },
        mcp_context: { server_name: 'my_db', tool_name: 'query', command: 'npx', args: ['-y', 'db'] },
      },
      expected: {
        call: { ...mcp('my_db', 'query'), tool: 'mcp_my_db_query', launch: { command: 'npx -y db' } },
      },
    },
    {
      title: 'a call of a server far away',
      event: {
        ...gemini,
        tool_name: 'mcp_db_query',
        tool_input: { a: 1 },
        mcp_context: { server_name: 'db', tool_name: 'query', url: 'https://mcp.example.com' },
      },
      expected: {
        call: {
          ...mcp('db', 'query'),
          tool: 'mcp_db_query',
          launch: { url: 'https://mcp.example.com' },
        },
      },
    },
    tool(gemini, 'mcp_db_query_all', { a: 1 }, mcp('db', 'query_all')),
    tool(gemini, 'mcp__my_db__query', { a: 1 }, mcp('my_db', 'query')),
    tool(gemini, 'read_file', { file_path: 'a' }, { kind: 'other', input: { file_path: 'a' } }),
    {
      title: 'the start of a session',
      event: { ...gemini, hook_event_name: 'SessionStart', source: 'startup' },
      expected: { moment: 'session-start', call: undefined },
    },
    {
      title: 'a result',
      event: { ...gemini, hook_event_name: 'AfterTool', tool_name: 'x', tool_input: {} },
      expected: { moment: 'after-tool', call: undefined },
    },
  ]),
  ...of('opencode', [
    {
      title: 'a write',
      event: { ...opencode, tool_name: 'write', tool_input: { filePath: '/a.js', content: 'let a' } },
      expected: {
        moment: 'before-tool',
        session: 'ses_1',
        callId: 'call_1',
        cwd: '/home/a/project',
        mayAsk: false,
        call: { kind: 'write', tool: 'write', path: '/a.js', content: 'let a' },
      },
    },
    {
      title: 'an edit of all places',
      event: {
        ...opencode,
        tool_name: 'edit',
        tool_input: { filePath: '/a.js', oldString: 'a', newString: 'b', replaceAll: true },
      },
      expected: { call: { kind: 'edit', tool: 'edit', path: '/a.js', edits: edited(true).edits } },
    },
    {
      title: 'a patch',
      event: { ...opencode, tool_name: 'apply_patch', tool_input: { patchText: patch } },
      expected: { call: { kind: 'patch', tool: 'apply_patch', patch } },
    },
    {
      title: 'a command in another folder',
      event: { ...opencode, tool_name: 'bash', tool_input: { command: 'ls', workdir: '/tmp' } },
      expected: { call: { tool: 'bash', ...shell('cd /tmp && ls') } },
    },
    {
      title: 'a tool of an MCP server',
      event: { ...opencode, tool_name: 'db_query_all', tool_input: { a: 1 } },
      expected: { call: { ...mcp('db', 'query_all'), tool: 'db_query_all' } },
    },
    {
      title: 'a resource of an MCP server',
      event: { ...opencode, tool_name: 'read_mcp_resource', tool_input: { server: 'db', uri: 'x:y' } },
      expected: {
        call: {
          ...mcp('db', 'read_mcp_resource'),
          tool: 'read_mcp_resource',
          args: { server: 'db', uri: 'x:y' },
        },
      },
    },
    {
      title: 'a tool that only reads',
      event: { ...opencode, tool_name: 'plan_exit', tool_input: {} },
      expected: { call: { kind: 'other', tool: 'plan_exit', input: {} } },
    },
    {
      title: 'a call that is over',
      event: { ...opencode, hook_event_name: 'tool.execute.after', tool_name: 'bash' },
      expected: { moment: 'after-tool', callId: 'call_1', overTool: 'bash', call: undefined },
    },
  ]),
  ...of('windsurf', [
    action(
      'pre_write_code',
      { file_path: '/a.js', edits: [{ old_string: 'a', new_string: 'b' }] },
      { kind: 'edit', tool: 'pre_write_code', path: '/a.js', edits: edited(false).edits },
    ),
    {
      title: 'a command with its folder',
      event: {
        ...windsurf,
        agent_action_name: 'pre_run_command',
        tool_info: { command_line: 'ls', cwd: '/home/a/other' },
      },
      expected: {
        moment: 'before-tool',
        session: 't',
        cwd: '/home/a/other',
        mayAsk: false,
        call: { tool: 'pre_run_command', ...shell('ls') },
      },
    },
    action(
      'pre_mcp_tool_use',
      { mcp_server_name: 'db', mcp_tool_name: 'query', mcp_tool_arguments: { a: 1 } },
      { ...mcp('db', 'query'), tool: 'query' },
    ),
    action(
      'pre_mcp_tool_use',
      { mcp_server_name: 'db', mcp_tool_name: 'query', mcp_tool_arguments: '{"a":1}' },
      { ...mcp('db', 'query'), tool: 'query' },
    ),
    action(
      'pre_mcp_tool_use',
      { mcp_server_name: 'db', mcp_tool_name: 'query' },
      { ...mcp('db', 'query'), tool: 'query', args: {} },
    ),
    action(
      'pre_read_code',
      { file_path: '/a' },
      { kind: 'other', tool: 'pre_read_code', input: { file_path: '/a' } },
    ),
    action('pre_user_prompt', { user_prompt: 'Hello' }, undefined),
    action('post_write_code', { file_path: '/a', edits: [] }, undefined),
  ]),
]

type Untold = Omit<DocumentedEvent, 'agent'>
type Untooled = ToolCall extends infer Call ? (Call extends ToolCall ? Omit<Call, 'tool'> : never) : never

function of(agent: AgentName, events: readonly Untold[]): readonly DocumentedEvent[] {
  return events.map((event) => ({ agent, ...event }))
}

function tool(base: JsonObject, name: string, input: JsonObject, call: Untooled): Untold {
  return {
    title: `${name} ${JSON.stringify(input).slice(0, 60)}`,
    event: { ...base, tool_name: name, tool_input: input },
    expected: { moment: 'before-tool', call: { tool: name, ...call } as ToolCall },
  }
}

function camel(name: string, toolArgs: unknown, call: Untooled): Untold {
  return {
    title: `${name} ${JSON.stringify(toolArgs).slice(0, 60)}`,
    event: { ...copilot, toolName: name, toolArgs },
    expected: {
      moment: 'before-tool',
      session: 's',
      mayAsk: false,
      call: { tool: name, ...call } as ToolCall,
    },
  }
}

function action(name: string, info: JsonObject, call: ToolCall | undefined): Untold {
  return {
    title: `${name} ${JSON.stringify(info).slice(0, 60)}`,
    event: { ...windsurf, agent_action_name: name, tool_info: info },
    expected: {
      moment: call !== undefined ? 'before-tool' : name.startsWith('post_') ? 'after-tool' : 'other',
      cwd: '/started/in',
      session: 't',
      call,
    },
  }
}

function asked(mode: string, mayAsk: boolean): Untold {
  return {
    title: `the mode ${mode}`,
    event: { ...claude, permission_mode: mode, tool_name: 'Write', tool_input: write },
    expected: { mayAsk },
  }
}

function written(tool: string): ToolCall {
  return { kind: 'write', tool, path: write.file_path, content: write.content }
}

function edited(all: boolean) {
  return { kind: 'edit', path: edit.file_path, edits: [{ before: 'a', after: 'b', all }] } as const
}

function shell(command: string) {
  return { kind: 'shell', command, dialect: 'bash' } as const
}

function mcp(server: string, name: string) {
  return { kind: 'mcp', server, name, args: { a: 1 }, launch: undefined } as const
}
