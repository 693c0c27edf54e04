import { PmlError } from '@pml/core/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentedEvents } from '../../test/documented-events.ts'
import type { AgentName } from './find-agent.ts'
import type { HookEvent, JsonObject } from '../event.ts'
import { agentNames, findAdapter } from './index.ts'

/** The required fields of each agent before a tool; the prefix `tool_info.` and the like is their place. */
const required: Record<AgentName, { event: JsonObject; fields: readonly string[] }> = {
  claude: {
    event: {
      hook_event_name: 'PreToolUse',
      cwd: '/p',
      tool_name: 'Write',
      tool_input: { file_path: '/p/a', content: 'x' },
    },
    fields: ['hook_event_name', 'cwd', 'tool_name', 'tool_input', 'tool_input.file_path'],
  },
  codex: {
    event: {
      hook_event_name: 'PreToolUse',
      cwd: '/p',
      tool_name: 'apply_patch',
      tool_input: { command: '*** Begin Patch' },
    },
    fields: ['hook_event_name', 'cwd', 'tool_name', 'tool_input', 'tool_input.command'],
  },
  copilot: {
    event: { cwd: '/p', toolName: 'create', toolArgs: { path: '/p/a', file_text: 'x' } },
    fields: ['cwd', 'toolName', 'toolArgs', 'toolArgs.path'],
  },
  cursor: {
    event: {
      hook_event_name: 'beforeMCPExecution',
      workspace_roots: ['/p'],
      tool_name: 'query',
      tool_input: { a: 1 },
    },
    fields: ['hook_event_name', 'workspace_roots', 'workspace_roots.0', 'tool_name'],
  },
  gemini: {
    event: {
      hook_event_name: 'BeforeTool',
      cwd: '/p',
      tool_name: 'write_file',
      tool_input: { file_path: '/p/a', content: 'x' },
    },
    fields: ['hook_event_name', 'cwd', 'tool_name', 'tool_input', 'tool_input.file_path'],
  },
  opencode: {
    event: {
      hook_event_name: 'tool.execute.before',
      cwd: '/p',
      tool_name: 'apply_patch',
      tool_input: { patchText: '*** Begin Patch' },
    },
    fields: ['hook_event_name', 'cwd', 'tool_name', 'tool_input', 'tool_input.patchText'],
  },
  windsurf: {
    event: {
      agent_action_name: 'pre_run_command',
      tool_info: { command_line: 'ls', cwd: '/p' },
    },
    fields: ['agent_action_name', 'tool_info', 'tool_info.command_line'],
  },
}

const cursorWrite = {
  workspace_roots: ['/p'],
  tool_name: 'Write',
  tool_input: { file_path: '/p/a', content: 'x' },
}

const nonsense: readonly unknown[] = [undefined, null, 7, true, '', '  ', [], [[{}]], { a: { b: [null] } }]

describe('an event', () => {
  it.each(documentedEvents)('of $agent: $title', ({ agent, event, expected }) => {
    expect(parse(agent, event)).toMatchObject({ agent, ...expected })
  })

  it.each(documentedEvents)('of $agent may have unknown fields: $title', ({ agent, event }) => {
    const more = { ...event, from_a_later_version: { a: [1] }, ['__proto__x']: null }
    expect(parse(agent, more)).toEqual(parse(agent, event))
  })

  it.each([
    ['claude', { ...required.claude.event, hook_event_name: 'BeforeToolUse' }, 'write'],
    ['codex', { ...required.codex.event, hook_event_name: 'pretooluse' }, 'patch'],
    ['gemini', { ...required.gemini.event, hook_event_name: 'PreTool' }, 'write'],
    ['cursor', { ...cursorWrite, hook_event_name: 'beforeToolUse' }, 'write'],
    ['windsurf', { agent_action_name: 'pre_x', tool_info: { cwd: '/p' } }, 'other'],
  ] as const)('of %s with a call and an unknown name counts as before the call', (agent, event, kind) => {
    expect(parse(agent, event)).toMatchObject({ moment: 'before-tool', call: { kind } })
  })

  it.each([
    ['claude', { ...required.claude.event, hook_event_name: 'PostToolUseLater' }],
    ['cursor', { ...cursorWrite, hook_event_name: 'afterToolUse' }],
    ['gemini', { ...required.gemini.event, hook_event_name: 'AfterTools' }],
    ['claude', { hook_event_name: 'Unheard', cwd: '/p' }],
  ] as const)('of %s after a call, or without a call, needs no decision', (agent, event) => {
    expect(parse(agent, event)).toMatchObject({ moment: 'other', call: undefined })
  })

  it('of copilot without an event name and a tool is refused', () => {
    expect(() => parse('copilot', { cwd: '/p', sessionId: 's', timestamp: 1 })).toThrow(/expected toolName/)
  })

  it('must name a known agent', () => {
    expect(agentNames.map((name) => findAdapter(name)?.agent)).toEqual(agentNames)
    for (const name of ['', 'Claude', 'vim', '__proto__', 'constructor']) {
      expect(findAdapter(name)).toBeUndefined()
    }
  })
})

describe('an undocumented event', () => {
  const cases = agentNames.flatMap((agent) =>
    required[agent].fields.flatMap((field) => nonsense.map((value) => ({ agent, field, value }))),
  )

  it.each(agentNames)('of %s is parsed if all required fields are there', (agent) => {
    expect(parse(agent, required[agent].event).moment).toBe('before-tool')
  })

  it.each(cases)('of $agent is refused if $field is $value', ({ agent, field, value }) => {
    const event = withField(required[agent].event, field.split('.'), value)
    expect(() => parse(agent, event)).toThrow(badRequest(agent))
  })

  it.each(agentNames)('of %s is refused if it is empty', (agent) => {
    expect(() => parse(agent, {})).toThrow(badRequest(agent))
  })

  it.each(['claude', 'codex', 'copilot', 'gemini'] as const)(
    'of %s is refused if its folder is not absolute',
    (agent) => {
      for (const cwd of ['project', './project', '../project', '~/project', 'C:project']) {
        expect(() => parse(agent, { ...required[agent].event, cwd })).toThrow(
          `Cannot read the event of ${agent}: expected cwd to be a whole path, got another string`,
        )
      }
    },
  )

  it('is refused with the field and its type, and never its value', () => {
    const { event } = required.claude
    expect(() => parse('claude', withField(event, ['tool_input', 'file_path'], 7))).toThrow(
      'Cannot read the event of claude: expected tool_input.file_path to be a string, got a number',
    )
    expect(() => parse('claude', withField(event, ['tool_input', 'content'], undefined))).toThrow(
      'Cannot read the event of claude: expected tool_input.content to be a string, got nothing',
    )
    const input = { file_path: '/p/a', edits: [{ old_string: 'a', new_string: 'b' }, { old_string: 'a' }] }
    expect(() => parse('claude', { ...event, tool_name: 'MultiEdit', tool_input: input })).toThrow(
      'Cannot read the event of claude: expected tool_input.edits.1.new_string to be a string, got nothing',
    )
    expect(() => parse('claude', { ...event, cwd: 's3cret' })).not.toThrow('s3cret')
  })

  it('is refused if the arguments of Copilot are truncated JSON', () => {
    const event = { cwd: '/p', toolName: 'bash', toolArgs: '{"command":"l' }
    expect(() => parse('copilot', event)).toThrow(
      'Cannot read the event of copilot: expected toolArgs to be an object, got another string',
    )
  })

  it('is refused if Windsurf does not send its folder and it is unknown', () => {
    const event = {
      agent_action_name: 'pre_write_code',
      tool_info: { file_path: '/p/a', edits: [] },
    }
    expect(() => findAdapter('windsurf')?.parse(event)).toThrow(badRequest('windsurf'))
    expect(() => findAdapter('windsurf')?.parse(event, 'relative')).toThrow(badRequest('windsurf'))
    expect(findAdapter('windsurf')?.parse(event, '/p').cwd).toBe('/p')
  })

  it('reads own members only', () => {
    const inherited = Object.create(required.claude.event) as JsonObject
    expect(() => parse('claude', inherited)).toThrow(badRequest('claude'))
    const polluting = JSON.parse(
      '{"__proto__":{"cwd":"/p","tool_name":"Bash"},"hook_event_name":"PreToolUse","constructor":{}}',
    ) as JsonObject
    expect(() => parse('claude', polluting)).toThrow(badRequest('claude'))
    expect(({} as { cwd?: string }).cwd).toBeUndefined()
  })

  it.each(agentNames)('of %s is parsed or refused, for any JSON', (agent) => {
    const json = fc.jsonValue({ maxDepth: 3 })
    const keys = [...Object.keys(required[agent].event), 'hook_event_name', 'mcp_context', 'url', 'source']
    const anything = fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), json)
    const nearly = fc
      .record(Object.fromEntries(keys.map((key) => [key, json])), { requiredKeys: [] })
      .map((changed) => ({ ...required[agent].event, ...changed }))
    fc.assert(
      fc.property(fc.oneof(anything, nearly), (event) => {
        expect(readOrRefuse(agent, event as JsonObject)).toBeDefined()
      }),
    )
  })

  it.each(agentNames)('of %s is parsed or refused, for any tool input', (agent) => {
    const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant('*** Begin Patch'))
    const names = ['path', 'file_path', 'content', 'command', 'edits', 'new_str', 'cell_id', 'input']
    const input = fc.record(Object.fromEntries(names.map((name) => [name, values])), {
      requiredKeys: [],
    })
    const tools = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Bash', 'create', 'edit', 'replace']
    fc.assert(
      fc.property(fc.constantFrom(...tools, 'a-b', 'mcp_a_b', 'MCP:a'), input, (tool, given) => {
        const named = { tool_name: tool, toolName: tool, tool_input: given, toolArgs: given }
        readOrRefuse(agent, { ...required[agent].event, ...named, tool_info: given })
      }),
    )
  })
})

describe('an event of ten megabytes', () => {
  const huge = 'x'.repeat(10_000_000)
  const dashes = '-_:'.repeat(3_000_000)

  it.each(agentNames)('of %s is parsed like any other', (agent) => {
    const fields = ['tool_name', 'toolName', 'hook_event_name', 'agent_action_name', 'cwd']
    const names = ['mcp__', 'mcp_', 'MCP:', ''].flatMap((prefix) => [prefix + huge, prefix + dashes])
    const events = [
      ...fields.flatMap((field) => [{ [field]: huge }, { [field]: dashes }]),
      ...names.map((name) => ({ tool_name: name, toolName: name })),
    ]
    for (const event of events) {
      expect(readOrRefuse(agent, { ...required[agent].event, ...event })).toMatch(/^(read|refused)$/)
    }
  })

  it('keeps its whole content', () => {
    const event = withField(required.claude.event, ['tool_input', 'content'], huge)
    expect(parse('claude', event).call).toMatchObject({ kind: 'write', content: huge })
  })
})

function parse(agent: AgentName, event: JsonObject): HookEvent {
  const adapter = findAdapter(agent)
  if (adapter === undefined) throw new Error(`There is no adapter for ${agent}`)
  return adapter.parse(event, '/started/in')
}

/** Rethrows every error that is not a PmlError. */
function readOrRefuse(agent: AgentName, event: JsonObject): 'read' | 'refused' {
  try {
    const { call, moment } = parse(agent, event)
    expect(call !== undefined).toBe(moment === 'before-tool')
    return 'read'
  } catch (error) {
    if (error instanceof PmlError && error.code === 'bad_request') return 'refused'
    throw error
  }
}

function badRequest(agent: AgentName) {
  return expect.objectContaining({
    constructor: PmlError,
    code: 'bad_request',
    message: expect.stringMatching(new RegExp(`^Cannot read the event of ${agent}: expected `)),
  })
}

function withField(event: JsonObject, [first = '', ...rest]: readonly string[], value: unknown): JsonObject {
  if (Array.isArray(event[first]) && rest.length > 0) return { ...event, [first]: [value] }
  const changed = rest.length === 0 ? value : withField(event[first] as JsonObject, rest, value)
  return { ...event, [first]: changed }
}
