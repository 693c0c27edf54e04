import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agentNames, type AgentName } from '@pml/hooks'
import { findAdapter } from '@pml/hooks/agents'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { approve, callerWith, reject, type Caller } from '../../test/approvals.ts'
import { addFiles, usualPolicy, writeEvents } from '../../test/hook-events.ts'
import { rootDir } from '../../test/paths.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { answerHook, type HookRequest } from './answer-hook.ts'

let registry: TestRegistry
let hook: Caller
let guard: Caller

const configFiles = { 'enforcement.json': usualPolicy }

beforeAll(async () => {
  registry = await startRegistry({ configFiles })
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve', 'pattern'], 'guard')
})
afterAll(() => registry.stop())

const usualType = 'application/json'
/** A content type that agents do not send. */
const routedType = 'application/json; charset=utf-8'

interface Sending {
  readonly key?: string | undefined
  readonly type?: string
  readonly at?: TestRegistry
}

async function sendText(
  agent: string,
  body: string,
  { key = hook.key, type = usualType, at = registry }: Sending = {},
) {
  const headers = { 'Content-Type': type, ...(key !== '' && { Authorization: `Bearer ${key}` }) }
  const response = await at.fetch(`/hooks/${agent}`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}
const sendEvent = (agent: string, event: unknown, sending?: Sending) =>
  sendText(agent, JSON.stringify(event), sending)
const write = (path: string, content: string, sending?: Sending) =>
  sendEvent('claude', writeEvents.claude(path, content), sending)
/** Returns the text of a refusal, for every agent. */
const reasonIn = (text: string) => {
  const body = JSON.parse(text) as Record<string, unknown> & { hookSpecificOutput?: Record<string, unknown> }
  const { hookSpecificOutput: own } = body
  return String(
    own?.['permissionDecisionReason'] ??
      body['permissionDecisionReason'] ??
      body['agent_message'] ??
      body['reason'],
  )
}
const isDenied = (text: string) => /"(?:permissionDecision|permission|decision)":"deny"/.test(text)
const found = async (q: string, at = registry) => {
  const { body } = await (
    await callerWith(at, ['approve'])
  ).send('GET', `/audit?limit=100&q=${encodeURIComponent(q)}`)
  const events = body['events'] as { action: string; actor: string; subject: string; detail: object }[]
  return events.filter(({ action }) => action.startsWith('hook.')).toReversed()
}
let count = 0
const newName = () => `file${++count}`

describe.each([usualType, routedType])('a call before it is made, sent as %s', (type) => {
  it.each(agentNames)("of %s is refused in the agent's own format if a rule blocks it", async (agent) => {
    const name = newName()
    const event = writeEvents[agent](`/project/workspace/${name}.js`, 'let a\n')
    const { status, text } = await sendEvent(agent, event, { type })
    expect([status, isDenied(text)]).toEqual([200, true])
    expect(reasonIn(text)).toMatch(
      new RegExp(`^BLOCKED::NO_SCRIPTS\nACTION::Use a server\n\nCannot write workspace/${name}.js: scripts`),
    )
    expect(await found(name)).toMatchObject([
      {
        action: 'hook.blocked',
        actor: hook.id,
        subject: `workspace/${name}.js`,
        detail: {
          agent,
          session: 'session-1',
          rule: 'NO_SCRIPTS',
          reason: expect.stringContaining('scripts'),
        },
      },
    ])
  })

  it.each(agentNames)('of %s passes without a record if no rule covers it', async (agent) => {
    const name = newName()
    const { status, text } = await sendEvent(
      agent,
      writeEvents[agent](`/project/src/${name}.js`, 'let a\n'),
      { type },
    )
    expect([status, text]).toEqual([200, agent === 'cursor' ? '{"permission":"allow"}' : ''])
    expect(await found(name)).toEqual([])
  })

  it('is judged by its content with expressions that take linear time', async () => {
    expect(isDenied((await write('/project/workspace/a.md', 'a Secret-7', { type })).text)).toBe(true)
    expect((await write('/project/workspace/a.md', 'a secret', { type })).text).toBe('')
  })

  it.each(agentNames)('of %s is refused if it cannot be parsed', async (agent) => {
    const good = JSON.stringify(writeEvents[agent]('/project/src/a.js', 'let a\n'))
    const half = [good.slice(0, -5), `${good}x`, good.replace('src/a.js', '\\u0000')]
    for (const body of ['', ' ', '{', '[]', 'null', '7', '""', '{}', ...half]) {
      const { status, text } = await sendText(agent, body, { type })
      expect([body, status, isDenied(text)]).toEqual([body, 200, true])
      expect(reasonIn(text)).toMatch(
        /^BLOCKED::HOOK_FAILED\nACTION::tell the person .*\n\nThe registry could not decide/,
      )
    }
    expect((await found('HOOK_FAILED')).at(-1)).toMatchObject({ action: 'hook.blocked', detail: { agent } })
  })

  it.each(agentNames)('of %s returns 200 for any content', async (agent) => {
    const event = writeEvents[agent]('/project/workspace/a.js', 'let a\n')
    const members = fc.constantFrom(...Object.keys(event))
    const changed = fc.tuple(members, fc.jsonValue()).map(([key, value]) => ({ ...event, [key]: value }))
    const holds = async (body: unknown) => {
      const { status, text } = await sendEvent(agent, body, { type })
      expect([status, text === '' || typeof JSON.parse(text)]).toEqual([200, text === '' || 'object'])
    }
    await fc.assert(fc.asyncProperty(fc.oneof(changed, fc.jsonValue()), holds), { numRuns: 60 })
  })

  it('is refused with the same text for every content type', async () => {
    const event = writeEvents.claude('/project/workspace/same.js', '')
    expect(await sendEvent('claude', event, { type })).toEqual(await sendEvent('claude', event))
  })
})

describe('events that are not about a call', () => {
  it('get an empty response', async () => {
    const common = { session_id: 's', cwd: '/project' }
    for (const hook_event_name of ['Stop', 'SessionStart', 'PostToolUse', 'ConfigChange', 'SomethingNew'])
      expect(await sendEvent('claude', { ...common, hook_event_name })).toEqual({ status: 200, text: '' })
  })
})

describe('a path', () => {
  it.each([
    ['of Windows', 'C:\\project', 'C:\\project\\workspace\\a.js'],
    ['of Windows from the folder', 'C:\\project', 'workspace\\a.js'],
    ['of another machine', '\\\\files\\project', '\\\\files\\project\\workspace\\a.js'],
    ['with dots', '/project', '/project/src/../workspace/a.js'],
    ['in upper case', '/project', '/project/workspace/A.JS'],
    ['from the folder', '/project', './workspace/a.js'],
  ])('%s leads where it leads', async (_, cwd, path) => {
    const { text } = await sendEvent('claude', { ...writeEvents.claude(path, ''), cwd })
    expect(reasonIn(text)).toContain('BLOCKED::NO_SCRIPTS')
  })
})

describe('a command', () => {
  const run = async (command: string, more: object = {}) => {
    const event = { ...writeEvents.claude('', ''), tool_name: 'Bash', tool_input: { command }, ...more }
    return (await sendEvent('claude', event)).text
  }

  it('is checked for what it runs and what it writes', async () => {
    expect(await run('git status && npm test')).toBe('')
    expect(reasonIn(await run('cd a; env X=1 git push origin --force'))).toMatch(/^BLOCKED::NO_FORCE/)
    expect(reasonIn(await run('cat > workspace/a.js <<E\nlet a\nE'))).toMatch(/^BLOCKED::NO_SCRIPTS/)
    expect(reasonIn(await run('echo a > guarded/a.txt'))).toMatch(/^BLOCKED::GUARDED/)
  })

  it('that cannot be analysed prompts, and is refused if the agent cannot prompt', async () => {
    expect(await run('eval "$X"')).toContain('"permissionDecision":"ask"')
    expect(isDenied(await run('eval "$X"', { permission_mode: 'bypassPermissions' }))).toBe(true)
    const powershell = { tool_name: 'PowerShell', permission_mode: 'bypassPermissions' }
    expect(isDenied(await run('Invoke-Expression $x', powershell))).toBe(true)
    expect(await run('Get-ChildItem', powershell)).toBe('')
  })
})

describe('a change that needs approval', () => {
  const changeIn = (text: string) => /chg_[0-9a-f]+/.exec(reasonIn(text))?.[0] ?? ''
  const guarded = () => ({
    path: `/project/guarded/${newName()}.ts`,
    content: `export const a = ${++count}\n`,
  })

  it('waits for review, passes once after approval, and is then blocked again', async () => {
    const { path, content } = guarded()
    const blocked = await write(path, content)
    const id = changeIn(blocked.text)
    expect(reasonIn(blocked.text)).toMatch(
      new RegExp(
        `^BLOCKED::GUARDED\nACTION::ask guard to review change ${id}, then make exactly the same change again\n`,
      ),
    )
    expect((await guard.send('GET', `/approvals/changes/${id}`)).body).toMatchObject({
      status: 'blocked',
      path: path.replace('/project/', ''),
      content,
      tool: 'Write',
      requests: [{ key: hook.id, agent: 'claude', session: 'session-1' }],
    })
    expect(changeIn((await write(path, content)).text)).toBe(id)
    expect((await approve(guard, id)).status).toBe(200)
    expect(isDenied((await write(path, `${content}//`)).text)).toBe(true)
    // Another folder of the same name is another project.
    const inOther = path.replace('/project/', '/other/project/')
    const elsewhere = { ...writeEvents.claude(inOther, content), cwd: '/other/project' }
    expect(changeIn((await sendEvent('claude', elsewhere)).text)).not.toMatch(new RegExp(`^(?:${id})?$`))
    expect(await write(path, content)).toEqual({ status: 200, text: '' })
    expect(isDenied((await write(path, content)).text)).toBe(true)
    const rows = await found(path.replace('/project/', ''))
    expect(rows.map(({ action }) => action)).toEqual([
      'hook.blocked',
      'hook.blocked',
      'hook.blocked',
      'hook.blocked',
      'hook.allowed',
      'hook.blocked',
    ])
    expect(rows[4]).toMatchObject({
      actor: hook.id,
      detail: { agent: 'claude', session: 'session-1', rule: 'GUARDED', reason: `Approved by guard (${id})` },
    })
  })

  it("includes the reviewer's advice if it was rejected", async () => {
    const { path, content } = guarded()
    const id = changeIn((await write(path, content)).text)
    await reject(guard, id, { reason: 'It is empty', education: 'Say what it is for', suggestion: 'Name it' })
    const { text } = await write(path, content)
    expect(reasonIn(text)).toMatch(
      /^BLOCKED::GUARDED\nACTION::change what you write to .*: a reviewer rejected this content\n/,
    )
    expect(reasonIn(text)).toContain('It was rejected: It is empty.\nSay what it is for\nName it\n')
    expect(changeIn(text)).toBe('')
  })

  it('says that no approval helps if a pattern blocks it', async () => {
    const word = `never_${randomUUID().replaceAll('-', '')}`
    const pattern = { kind: 'block', type: 'any', pattern: word, reason: 'no', example: word }
    expect((await guard.send('POST', '/approvals/patterns', pattern)).status).toBe(201)
    const { text } = await write('/project/guarded/a.ts', word)
    expect(reasonIn(text)).toMatch(
      /^BLOCKED::GUARDED\nACTION::change what you write to guarded\/a\.ts: no approval can allow this content\n/,
    )
  })

  it('uses no approval if another of the same call is missing', async () => {
    const files = [guarded(), guarded()]
    const event = {
      ...writeEvents.claude('', ''),
      tool_name: 'apply_patch',
      tool_input: {
        command: addFiles(
          files.map(({ path, content }) => ({ path: path.replace('/project/', ''), content })),
        ),
      },
    }
    const [first = '', second = ''] = [
      ...new Set(reasonIn((await sendEvent('codex', event)).text).match(/chg_[0-9a-f]+/g) ?? []),
    ]
    await approve(guard, first)
    const again = reasonIn((await sendEvent('codex', event)).text)
    expect([again.includes(first), again.includes(second)]).toEqual([false, true])
    await approve(guard, second)
    expect(await sendEvent('codex', event)).toEqual({ status: 200, text: '' })
    expect(isDenied((await sendEvent('codex', event)).text)).toBe(true)
  })

  it('does not pass with an approval of its own key', async () => {
    const both = await callerWith(registry, ['hook', 'approve'], 'both')
    const { path, content } = guarded()
    const id = changeIn((await write(path, content)).text)
    expect((await approve(both, id)).status).toBe(200)
    const { text } = await write(path, content, { key: both.key })
    expect(reasonIn(text)).toContain('it was approved with this same key')
    expect(await write(path, content)).toEqual({ status: 200, text: '' })
  })

  it('is refused over the size limit of a review', async () => {
    const { text } = await write('/project/guarded/large.ts', 'x'.repeat(1024 * 1024 + 1))
    expect(reasonIn(text)).toMatch(/^BLOCKED::HOOK_FAILED[^]*expected at most 1048576 bytes/)
  })
})

describe('a large call', () => {
  const large = (content: string) => content.padEnd(10_000, 'x')

  it('is judged like a small one', async () => {
    expect((await write('/project/src/a.js', large(''))).text).toBe('')
    expect(reasonIn((await write('/project/workspace/a.js', large(''))).text)).toMatch(/^BLOCKED::NO_SCRIPTS/)
    expect(reasonIn((await write('/project/guarded/a.js', large(''))).text)).toMatch(/^BLOCKED::GUARDED/)
    const { text } = await sendEvent('codex', {
      ...writeEvents.codex('', ''),
      tool_input: { command: large('*** Begin Patch\n') },
    })
    expect(reasonIn(text)).toMatch(/^BLOCKED::HOOK_FAILED[^]*expected \*\*\* Begin Patch/)
  })

  it('that takes too long to judge is refused and recorded, and does not delay others', async () => {
    const slow = Array.from({ length: 500 }, (_, index) => ({
      id: `SLOW_${index}`,
      effect: 'block',
      reason: 'r',
      suggestion: 's',
      paths: ['**/*.slow'],
      match: { content: [`(?i)(?:a|b|[c-e])+${index}$`] },
    }))
    const configFiles = { 'enforcement.json': JSON.stringify({ version: 1, rules: slow }) }
    const own = await startRegistry({ configFiles })
    const { key } = await callerWith(own, ['hook'])
    const sending = { key, at: own }
    const order: string[] = []
    // Takes many times the two-second limit, even on a fast machine.
    const hard = write('/project/a.slow', 'abcde'.repeat(700_000), sending).finally(() => order.push('hard'))
    await write('/project/src/a.ts', '', sending).finally(() => order.push('small'))
    expect(reasonIn((await hard).text)).toMatch(/^BLOCKED::HOOK_FAILED[^]*Cannot judge the call in time/)
    expect(order).toEqual(['small', 'hard'])
    expect(await found('HOOK_FAILED', own)).toHaveLength(1)
    expect((await write('/project/src/a.ts', large(''), sending)).text).toBe('')
    await own.stop()
  })
})

describe('a request refused before it is read', () => {
  it.each([usualType, routedType])('gets an HTTP error and no decision, sent as %s', async (type) => {
    const event = writeEvents.claude('/project/workspace/a.js', '')
    const forged = `${hook.key.slice(0, -4)}0000`
    expect(await sendEvent('claude', event, { key: '', type })).toMatchObject({ status: 401 })
    expect(await sendEvent('claude', event, { key: forged, type })).toMatchObject({ status: 401 })
    expect(await sendEvent('claude', event, { key: guard.key, type })).toMatchObject({ status: 403 })
    const { text } = await sendEvent('nobody', event, { type })
    expect(text).toContain("There is no agent 'nobody': expected claude, codex")
    const rows = await registry.db.sql`select from audit_event
      where action = 'key.refused' and subject = ${guard.id} and detail->>'reason' = 'scope'`
    expect(rows.length).toBeGreaterThan(0)
  })

  it('is one that is not POST, not JSON or over 4 MiB', async () => {
    expect(await sendText('claude', '{}', { type: 'text/plain' })).toMatchObject({ status: 415 })
    expect(await write('/project/a.md', 'x'.repeat(4 * 1024 * 1024))).toMatchObject({ status: 413 })
    expect((await registry.fetch('/hooks/claude')).status).toBe(405)
  })
})

describe('a failure', () => {
  it.each([usualType, routedType])("is a refusal in the agent's format, sent as %s", async (type) => {
    const broken = await startRegistry({ configFiles })
    const { key } = await callerWith(broken, ['hook'])
    const sending = { key, type, at: broken }
    try {
      for (const table of ['change', 'audit_event', 'api_key']) {
        await broken.db.sql.unsafe(`alter table ${table} rename to gone`)
        for (const agent of agentNames) {
          const event = writeEvents[agent as AgentName]('/project/guarded/a.ts', 'let a\n')
          const { status, text } = await sendEvent(agent, event, sending)
          expect([table, agent, status, isDenied(text)]).toEqual([table, agent, 200, true])
          expect(reasonIn(text)).toMatch(/^BLOCKED::HOOK_FAILED/)
          expect(text).not.toContain('gone')
        }
        await broken.db.sql.unsafe(`alter table gone rename to ${table}`)
      }
      expect((await write('/project/src/a.ts', '', sending)).text).toBe('')
    } finally {
      await broken.stop()
    }
  })

  it('is a refusal for a rate-limited key', async () => {
    const limited = await startRegistry({ configFiles, writesPerMinute: 1 })
    const { key } = await callerWith(limited, ['hook'])
    const send = () => write('/project/src/a.ts', '', { key, at: limited })
    expect(await send()).toEqual({ status: 200, text: '' })
    const { status, text } = await send()
    expect([status, isDenied(text)]).toEqual([200, true])
    await limited.stop()
  })

  it('is a refusal after a timeout', async () => {
    vi.useFakeTimers()
    const adapter = findAdapter('claude')
    if (!adapter) throw new Error('no adapter')
    const hanging: HookRequest = { adapter, requestId: 'x', admit: () => new Promise(() => {}) }
    const answer = answerHook({} as Parameters<typeof answerHook>[0], hanging)
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    expect(isDenied(await answer)).toBe(true)
  })
})

describe('the policy', () => {
  const started = async (policy: string | undefined) => {
    const own = await startRegistry(
      policy === undefined ? {} : { configFiles: { 'enforcement.json': policy } },
    )
    const { key } = await callerWith(own, ['hook'])
    const send = (path: string) => write(path, '', { key, at: own })
    return { own, file: join(own.configDir, 'enforcement.json'), send, key }
  }
  const renamed = usualPolicy.replaceAll('NO_SCRIPTS', 'OTHER_RULE')

  it('is reloaded when it changes, and the last valid one stays if the new one is invalid', async () => {
    const { own, file, send } = await started(usualPolicy)
    const rule = async () => /BLOCKED::(\w+)/.exec((await send('/project/workspace/a.js')).text)?.[1]
    expect(await rule()).toBe('NO_SCRIPTS')
    await writeFile(file, renamed)
    await expect.poll(rule, { timeout: 10_000 }).toBe('OTHER_RULE')
    await writeFile(file, renamed.replace('"version": 1', '"version": 2'))
    await expect.poll(async () => (await own.fetch('/readyz')).status, { timeout: 10_000 }).toBe(503)
    expect(await rule()).toBe('OTHER_RULE')
    await rm(file)
    const headers = await own.key('admin')
    const problem = async () => (await own.fetch('/readyz', { headers })).text()
    await expect.poll(problem, { timeout: 10_000 }).toMatch(/enforcement\.json.*missing/)
    expect(await rule()).toBe('OTHER_RULE')
    await own.stop()
  })

  it.each([
    ['is missing', undefined],
    ['is no JSON', '{'],
    ['has an invalid rule', '{"version":1,"rules":[{"id":"A"}]}'],
    [
      'has an expression that is not linear',
      renamed.replace(String.raw`(?i)secret-\\d+`, String.raw`(a)\\1`),
    ],
  ])('that %s refuses every call, says so, and tells of it', async (_, policy) => {
    const { own, send } = await started(policy)
    const { status, text } = await send('/project/src/a.ts')
    expect([status, isDenied(text)]).toEqual([200, true])
    expect(reasonIn(text)).toContain('config/enforcement.json is missing or cannot be read; /readyz shows')
    expect(await found('POLICY_UNREADABLE', own)).toMatchObject([
      { action: 'hook.blocked', subject: 'Write', detail: { agent: 'claude', session: 'session-1' } },
    ])
    await own.stop()
  })

  it('reports the position of a problem', async () => {
    const { own } = await started('{\n  "version": 1,\n  "rulez": []\n}')
    const { body } = await (await callerWith(own, ['admin'])).send('GET', '/readyz')
    expect(JSON.stringify(body)).toMatch(/enforcement\.json:3:12/)
    await own.stop()
  })

  it('records a subagent without a server as a correction, with agent, session and rule', async () => {
    const { own, key } = await started(await readFile(join(rootDir, 'config/enforcement.json'), 'utf8'))
    const work = { task: 'Send it by Telegram', servers: ['filesystem'] }
    const event = { ...writeEvents.claude('a', ''), tool_name: 'spawn_worker', tool_input: work }
    const long = { ...event, session_id: 's'.repeat(300) }
    for (const one of [event, long])
      expect(reasonIn((await sendEvent('claude', one, { key, at: own })).text)).toContain(
        '"servers":["filesystem","telegram"]',
      )
    const corrected = (session: string) => ({
      action: 'hook.corrected',
      detail: { agent: 'claude', session, rule: 'SPAWN_WITHOUT_MCP', tool: 'spawn_worker' },
    })
    expect(await found('SPAWN_WITHOUT_MCP', own)).toMatchObject([
      corrected('session-1'),
      corrected('s'.repeat(200)),
    ])
    await own.stop()
  })

  it('can be the one shipped with the registry', async () => {
    const { own, send } = await started(await readFile(join(rootDir, 'config/enforcement.json'), 'utf8'))
    expect((await send('/project/src/a.ts')).text).toBe('')
    expect((await send('/project/workspace/a.ts')).text).toContain('BLOCKED::EXECUTABLE_IN_WORKSPACE')
    expect((await send('/project/.claude/settings.json')).text).toContain('BLOCKED::GUARD_CHANGED')
    await own.stop()
  })
})
