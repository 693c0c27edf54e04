import { PmlError } from '@pml/core'
import { eventsKept, soughtApproval } from '@pml/core/schemas'
import { agentNames } from '@pml/hooks'
import { findAdapter, type Adapter } from '@pml/hooks/agents'
import type { Hono } from 'hono'
import { answer, anyObject, bodyFails, describeRoutes, inPath, json, named } from '../docs/describe.ts'
import { answerHook } from '../hooks/answer-hook.ts'
import { enforcementEvents, wantedApprovals } from '../hooks/hook-bodies.ts'
import { keepHookEvents } from '../hooks/keep-hook-events.ts'
import { seekApproval, seekingOf } from '../hooks/seek-approval.ts'
import { writerWith } from '../http/caller.ts'
import { send, type Env } from '../http/observe-requests.ts'
import { requireJson } from '../wire/read-json.ts'
import { hookAnswer } from '../wire/json-answer.ts'
import { TOOL_LIMIT_BYTES } from '../wire/read-body.ts'
import type { AppDeps } from './app-deps.ts'
import { bodyOf } from './read-request.ts'

export function addHooks(app: Hono<Env>, deps: AppDeps): void {
  const { db, bodies, log } = deps
  app.post('/hooks/events', docs.recordHookEvents, async (c) => {
    const actor = await writerWith(deps, c, 'hook')
    const { events } = await bodyOf(deps, c, { schema: enforcementEvents, actor })
    return c.json(await keepHookEvents(db, actor, events))
  })
  app.post('/hooks/approvals', docs.seekApprovals, async (c) => {
    const actor = await writerWith(deps, c, 'hook')
    const request = await bodyOf(deps, c, { schema: wantedApprovals, actor })
    return c.json(await seekApproval(deps.hooks, actor, seekingOf(request)))
  })
  app.post('/hooks/:agent', docs.decideHookEvent, async (c) => {
    const requestId = c.get('requestId')
    const adapter = requireAdapter(c.req.param('agent'))
    const admit = async () => {
      const actor = await writerWith(deps, c, 'hook')
      requireJson(c.env.incoming)
      const limits = { actor, limitBytes: TOOL_LIMIT_BYTES }
      return { actor, bytes: await bodies.read(c.env.incoming, limits, (bytes) => bytes) }
    }
    const body = await answerHook({ ...deps.hooks, log }, { adapter, requestId, admit })
    return send(c, hookAnswer(body))
  })
}

function requireAdapter(agent: string): Adapter {
  const adapter = findAdapter(agent)
  if (adapter) return adapter
  const known = agentNames.join(', ')
  throw new PmlError('not_found', `There is no agent '${agent.slice(0, 40)}': expected ${known}`)
}

const writeOfTest = {
  session_id: 'b1c2',
  hook_event_name: 'PreToolUse',
  cwd: '/srv/app',
  tool_name: 'Write',
  tool_input: { file_path: '/srv/app/notes.md', content: 'Hello\n' },
}
const refusedWrite = {
  id: '0b6e7b1c-5d1f-4a53-9a55-0f4f0c1f7a10',
  at: '2026-01-31T12:00:00Z',
  action: 'blocked',
  agent: 'claude',
  session: 'b1c2',
  rule: 'TEST_WEAKENED',
  tool: 'Write',
  subject: 'src/app.test.ts',
  reason: 'The write removes an assertion',
}
const wanted = {
  path: 'src/app.test.ts',
  project: 'acme/app',
  content: "expect(init()).rejects.toThrow('not configured')\n",
  rule: 'TEST_WEAKENED',
  specialist: 'testguard',
  reason: 'The write removes an assertion',
}

const docs = describeRoutes('Hooks', {
  decideHookEvent: {
    summary: 'Decide about an event of a coding agent',
    description:
      'The body is the event as the agent sends it; the response is what the agent understands. Once the key is accepted, every failure is a refusal with status 200, because agents let a call through when their hook fails.',
    access: { scope: 'hook' },
    parameters: [inPath('agent', `One of ${agentNames.join(', ')}`, String(agentNames[0]))],
    body: json(anyObject, writeOfTest),
    responses: { 200: answer(anyObject, 'A refusal, or no body if the registry has no objection') },
    fails: [404, 413, 415],
  },
  recordHookEvents: {
    summary: 'Record what a hook did',
    description:
      'Writes the events to the audit log in the given order, all of them or none. An event whose id is already stored is not written again.',
    access: { scope: 'hook' },
    body: json(named('EnforcementEvents', enforcementEvents), { events: [refusedWrite] }),
    responses: { 200: answer(named('EventsKept', eventsKept), 'The events are in the audit log') },
    fails: bodyFails,
  },
  seekApprovals: {
    summary: 'Settle the approvals that a call needs',
    description:
      'Uses up the approvals of all the contents, or of none. Content that is not approved is stored as a change, and the response names its reviewer. Everything is written to the audit log with its rule.',
    access: { scope: 'hook' },
    body: json(named('WantedApprovals', wantedApprovals), {
      agent: 'claude',
      tool: 'Write',
      wanted: [wanted],
    }),
    responses: { 200: answer(named('SoughtApproval', soughtApproval), 'Whether the call may pass') },
    fails: [...bodyFails, 507],
  },
})
