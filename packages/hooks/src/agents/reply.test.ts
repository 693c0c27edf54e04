import { describe, expect, it } from 'vitest'
import { documentedEvents } from '../../test/documented-events.ts'
import type { AgentName } from './find-agent.ts'
import type { HookEvent } from '../event.ts'
import type { Outcome } from '../outcome.ts'
import { agentNames, findAdapter } from './index.ts'

const block: Outcome = { kind: 'block', text: 'BLOCKED::NO_SCRIPTS\nUse the MCP' }
const ask: Outcome = { kind: 'ask', text: 'Is this meant?' }
const pass: Outcome = { kind: 'pass' }
const told: Outcome = { kind: 'pass', context: 'The lockfile differs' }

/** After a call there is nothing to refuse: these agents show their model the text in the JSON. */
function isHeardInJsonOnly({ agent, moment, eventName }: HookEvent): boolean {
  if (eventName === 'PermissionRequest') return true
  return moment === 'after-tool' && ['claude', 'copilot', 'cursor'].includes(agent)
}

describe('a block after the call', () => {
  const after: HookEvent = {
    agent: 'claude',
    moment: 'after-tool',
    session: 's',
    cwd: '/',
    call: undefined,
    changedFile: undefined,
    mayAsk: false,
    eventName: 'PostToolUse',
  }
  const reason = 'BLOCKED::NO_SCRIPTS\nUse the MCP'
  it.each<[AgentName, object]>([
    [
      'claude',
      {
        exitCode: 0,
        stdout: JSON.stringify({
          hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: reason },
        }),
      },
    ],
    ['codex', { exitCode: 2, stderr: `${reason}\n` }],
    [
      'copilot',
      {
        exitCode: 0,
        stdout: JSON.stringify({
          modifiedResult: { resultType: 'denied', textResultForLlm: reason },
          additionalContext: reason,
        }),
      },
    ],
    ['cursor', { exitCode: 0, stdout: JSON.stringify({ additional_context: reason }) }],
    ['gemini', { exitCode: 2, stderr: `${reason}\n` }],
    ['opencode', { exitCode: 2, stderr: `${reason}\n` }],
    ['windsurf', { exitCode: 2, stderr: `${reason}\n` }],
  ])('is shown to the model of %s', (agent, reply) => {
    expect(findAdapter(agent)?.reply({ ...after, agent }, block)).toMatchObject(reply)
  })
})

describe('a block', () => {
  it.each(events().filter(({ event }) => !isHeardInJsonOnly(event)))(
    'of $title is exit 2 with the reason on stderr',
    ({ adapter, event }) => {
      expect(adapter.reply(event, block)).toMatchObject({
        exitCode: 2,
        stderr: 'BLOCKED::NO_SCRIPTS\nUse the MCP\n',
      })
    },
  )

  it.each(events().filter(({ event }) => event.agent !== 'copilot' && !isBeforeToolOfClaude(event)))(
    'of $title has nothing on stdout',
    ({ adapter, event }) => {
      expect(adapter.reply(event, block).stdout).toBe('')
    },
  )

  it('before a tool of Claude Code has the reason in JSON with no other member, so that its model reads only that', () => {
    const { adapter, event } = find('claude', 'PreToolUse')
    expect(JSON.parse(adapter.reply(event, block).stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
      },
    })
  })

  it.each(['preToolUse', 'PreToolUse'])(
    'of %s in Copilot also has the reason in JSON, because its model does not read stderr',
    (name) => {
      const { adapter, event } = find('copilot', name)
      expect(JSON.parse(adapter.reply(event, block).stdout)).toEqual({
        permissionDecision: 'deny',
        permissionDecisionReason: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
      })
    },
  )

  it('of a permission request in Claude Code is JSON, because exit 2 is ignored there', () => {
    const { adapter, event } = find('claude', 'PermissionRequest')
    const { stdout, ...rest } = adapter.reply(event, block)
    expect(rest).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: 'BLOCKED::NO_SCRIPTS\nUse the MCP' },
      },
    })
  })

  it.each(agentNames)('of %s has a default reason', (agent) => {
    const { adapter, event } = first(agent)
    expect(adapter.reply(event, { kind: 'block', text: ' \n' }).stderr).toMatch(/^BLOCKED::/)
  })

  it.each<[AgentName, unknown]>([
    [
      'claude',
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
        },
      },
    ],
    [
      'codex',
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
        },
      },
    ],
    [
      'copilot',
      {
        permissionDecision: 'deny',
        permissionDecisionReason: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
      },
    ],
    [
      'cursor',
      {
        permission: 'deny',
        user_message: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
        agent_message: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
      },
    ],
    ['gemini', { decision: 'deny', reason: 'BLOCKED::NO_SCRIPTS\nUse the MCP' }],
    ['opencode', { decision: 'deny', reason: 'BLOCKED::NO_SCRIPTS\nUse the MCP' }],
    ['windsurf', { decision: 'deny', reason: 'BLOCKED::NO_SCRIPTS\nUse the MCP' }],
  ])('of %s over http is its own JSON', (agent, body) => {
    const { adapter, event } = first(agent)
    expect(JSON.parse(adapter.replyBody(event, block))).toEqual(body)
  })

  it('of an event without a tool over http is a decision, in Claude Code', () => {
    const { adapter, event } = find('claude', 'ConfigChange')
    expect(JSON.parse(adapter.replyBody(event, block))).toEqual({
      decision: 'block',
      reason: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
    })
  })

  it('of a permission request over http is a behaviour, in Copilot', () => {
    const { adapter, event } = find('copilot', 'permissionRequest')
    expect(JSON.parse(adapter.replyBody(event, block))).toEqual({
      behavior: 'deny',
      message: 'BLOCKED::NO_SCRIPTS\nUse the MCP',
    })
  })
})

describe('a question', () => {
  it('is asked by Claude Code if a person can answer', () => {
    const { adapter, event } = find('claude', 'PreToolUse')
    const answer = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: 'Is this meant?',
      },
    }
    expect(JSON.parse(adapter.reply(event, ask).stdout)).toEqual(answer)
    expect(adapter.reply(event, ask)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse(adapter.replyBody(event, ask))).toEqual(answer)
  })

  it.each(['beforeShellExecution', 'beforeMCPExecution'])('is asked by Cursor at %s', (name) => {
    const { adapter, event } = find('cursor', name)
    const answer = {
      permission: 'ask',
      user_message: 'Is this meant?',
      agent_message: 'Is this meant?',
    }
    expect(JSON.parse(adapter.reply(event, ask).stdout)).toEqual(answer)
    expect(JSON.parse(adapter.replyBody(event, ask))).toEqual(answer)
  })

  it.each(events().filter(({ event }) => !event.mayAsk && !isHeardInJsonOnly(event)))(
    'without a person to answer is a block: $title',
    ({ adapter, event }) => {
      expect(adapter.reply(event, ask)).toMatchObject({ exitCode: 2, stderr: 'Is this meant?\n' })
      expect(adapter.replyBody(event, ask)).toMatch(/"(?:deny|block)"/)
    },
  )
})

describe('not interfering', () => {
  it.each(events().filter(({ event }) => event.agent !== 'cursor'))(
    'is exit 0 without output: $title',
    ({ adapter, event }) => {
      expect(adapter.reply(event, pass)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
      expect(adapter.replyBody(event, pass)).toBe('')
    },
  )

  it.each(events().filter(({ event }) => event.agent === 'cursor'))(
    'has output if Cursor treats an empty answer as a failure: $title',
    ({ adapter, event }) => {
      const stdout = event.moment === 'before-tool' ? '{"permission":"allow"}' : ''
      expect(adapter.reply(event, pass)).toEqual({ exitCode: 0, stdout, stderr: '' })
    },
  )

  it.each<[AgentName, string, unknown]>([
    ['claude', 'SessionStart', claudeContext()],
    ['codex', 'SessionStart', claudeContext()],
    ['gemini', 'SessionStart', claudeContext()],
    ['copilot', 'sessionStart', { additionalContext: 'The lockfile differs' }],
    ['cursor', 'sessionStart', { additional_context: 'The lockfile differs' }],
  ])('gives %s context at the start of a session', (agent, name, context) => {
    const { adapter, event } = find(agent, name)
    const { stdout, ...rest } = adapter.reply(event, told)
    expect(rest).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual(context)
    expect(JSON.parse(adapter.replyBody(event, told))).toEqual(context)
  })

  it.each([
    ['claude', 'ConfigChange'],
    ['opencode', 'tool.execute.before'],
    ['windsurf', 'pre_run_command'],
  ] as const)('prints context to stderr if %s has no field for it: %s', (agent, name) => {
    const { adapter, event } = find(agent, name)
    expect(adapter.reply(event, told)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'The lockfile differs\n',
    })
  })
})

function claudeContext() {
  return {
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: 'The lockfile differs',
    },
  }
}

function events() {
  return documentedEvents.map(({ agent, title, event }) => {
    const adapter = findAdapter(agent)
    if (adapter === undefined) throw new Error(`There is no adapter for ${agent}`)
    return { title: `${agent}, ${title}`, adapter, event: adapter.parse(event, '/started/in') }
  })
}

function isBeforeToolOfClaude({ agent, eventName }: HookEvent): boolean {
  return agent === 'claude' && (eventName === 'PreToolUse' || eventName === 'PermissionRequest')
}

function first(agent: AgentName) {
  return pick(({ event }) => event.agent === agent && event.moment === 'before-tool')
}

function find(agent: AgentName, name: string) {
  return pick(({ event }) => event.agent === agent && event.eventName === name)
}

function pick(isIt: (one: { event: HookEvent }) => boolean) {
  const found = events().find(isIt)
  if (found === undefined) throw new Error('There is no such event in the table')
  return found
}
