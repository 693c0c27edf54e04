import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ScriptedCall as Call } from '@pml/hooks/agents'
import { startModel, type Model } from '../../packages/pml/src/agents/live/model/start-model.ts'
import { agents } from './agents/index.ts'
import { parseAgentsArguments } from './arguments.ts'
import { judgeLive, judgeTurn } from './judge.ts'
import { makePlace, putFile, type Place } from './place.ts'
import { scenarios, type Told } from './scenarios.ts'
import { countVerdicts, limitOf, printVerdict, type Verdict } from './verdict.ts'
import { withTable } from './with-table.ts'

const [claude] = agents
const [scenario] = scenarios
if (claude === undefined || scenario === undefined) throw new Error('There are no agents or no scenarios')

let folder: string
let place: Place
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-agents-'))
  place = await makePlace(folder, { installed: folder, env: {} })
})
afterEach(() => rm(folder, { recursive: true }))

describe('a turn', () => {
  const write: Call = { kind: 'write', path: 'a.js', content: 'x' }
  const judge = (told: Told, result: string, disk: Record<string, string | null> = {}) =>
    judgeTurn(claude, { calls: [write], told, disk }, { results: [result], place })

  it("matches only if the reason follows the agent's own words and nothing else does", async () => {
    const told = { blockedBy: 'NO', has: ['ACTION::'] }
    const start = 'PreToolUse:Write hook error: '
    expect(await judge(told, `${start}BLOCKED::NO\nACTION::x`)).toEqual([])
    expect(await judge(told, `${start}[node pml.js hook]: BLOCKED::NO\nACTION::x`)).toHaveLength(1)
    expect(await judge(told, `${start}BLOCKED::NOTHING\nACTION::x`)).toHaveLength(1)
    expect(await judge(told, `${start}BLOCKED::NO\nwhy`)).toHaveLength(1)
  })

  it('does not match if a call passed that should not have, or the reverse', async () => {
    expect(await judge({ refused: true }, 'File created')).toHaveLength(1)
    expect(await judge({ asked: true }, 'Echo: hi')).toHaveLength(1)
    expect(await judge({ passed: true }, 'hook error: BLOCKED::NO\n')).toHaveLength(1)
    expect(await judge({ passed: true, has: ['hi'] }, 'tool error for {"message":"hi"}')).toHaveLength(1)
    expect(await judge({ passed: true, has: ['Echo: hi'] }, 'Echo: hi')).toEqual([])
  })

  it('does not match if the files on disk differ', async () => {
    await putFile(join(place.project, 'a.js'), 'x')
    expect(await judge({ passed: true }, 'ok', { 'a.js': 'x', 'b.js': null })).toEqual([])
    expect(await judge({ passed: true }, 'ok', { 'a.js': null, 'b.js': 'x' })).toHaveLength(2)
  })

  it('does not match without a result', async () => {
    expect(
      await judgeTurn(claude, { calls: [write], told: { passed: true } }, { results: [], place }),
    ).toEqual(['write: expected a result, got nothing'])
  })
})

describe('a live call of the doctor', () => {
  const judge = (level: string, message: string) =>
    judgeLive(
      { live: 'ok: the hook ran' },
      { report: JSON.stringify({ findings: [{ check: 'live', level, message }] }), place },
    )

  it("matches only if the doctor's message fits and nothing is left behind", async () => {
    await putFile(join(place.project, 'workspace', 'README.md'), '')
    expect(await judge('ok', 'the hook ran and the model read BLOCKED::X')).toEqual([])
    expect(await judge('unknown', 'could not be tried: why')).toHaveLength(1)
    await putFile(join(place.project, 'workspace', 'pml-live-1', 'x.js'), '')
    expect(await judge('ok', 'the hook ran')).toHaveLength(1)
  })

  it('does not match if the doctor reports another state of the folder', async () => {
    await putFile(join(place.project, 'workspace', 'README.md'), '')
    const judgeTrust = (wanted: string | undefined, level: string | undefined) => {
      const findings = [
        { check: 'live', level: 'ok', message: 'the hook ran' },
        ...(level === undefined ? [] : [{ check: 'trust', level, message: 'why' }]),
      ]
      return judgeLive({ live: 'ok', trust: wanted }, { report: JSON.stringify({ findings }), place })
    }
    expect(await judgeTrust('error', 'error')).toEqual([])
    expect(await judgeTrust(undefined, undefined)).toEqual([])
    expect(await judgeTrust('ok', 'error')).toEqual(['trust: expected ok, got "error: why"'])
    expect(await judgeTrust(undefined, 'ok')).toHaveLength(1)
    expect(await judgeTrust('error', undefined)).toHaveLength(1)
  })
})

describe('the scripted model', () => {
  const use = (tool: string) => ({ tool, input: { of: tool } })
  let model: Model
  afterEach(() => model.close())

  const ask = async (path: string, body: object) => {
    const response = await fetch(`${model.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return response.text()
  }

  it('answers the turn that follows from the results in the conversation, in every protocol', async () => {
    const settled: [number, readonly string[]][] = []
    model = await startModel({
      main: [[use('first')], [use('second'), use('third')]],
      sub: [],
      settled: async (turn, results) => void settled.push([turn, results]),
      heard: () => {},
    })
    const start = { role: 'user', content: 'go' }
    const result = { role: 'user', content: [{ type: 'tool_result', content: 'one' }] }
    const anthropic = { tools: [{ name: 'first' }] }
    expect(await ask('/v1/messages', { ...anthropic, messages: [start] })).toContain('"first"')
    const second = await ask('/v1/messages', { ...anthropic, messages: [start, result] })
    expect(second).toMatch(/"second"[^]*"third"/)
    const end = [start, result, result, result]
    expect(await ask('/v1/messages', { ...anthropic, messages: end })).toContain('"done"')
    expect(settled).toEqual([
      [0, ['one']],
      [1, ['one', 'one']],
    ])

    const output = { type: 'function_call_output', output: 'one' }
    expect(await ask('/v1/responses', { tools: [{ name: 'a' }], input: [start, output] })).toContain('second')
    const tool = { role: 'tool', content: 'one' }
    const chat = { tools: [{ function: { name: 'a' } }], messages: [start, tool], stream: true }
    expect(await ask('/v1/chat/completions', chat)).toMatch(/^data: .*second[^]*data: \[DONE\]\n/)
    const parts = [{ functionResponse: { response: { output: 'one' } } }]
    const gemini = { tools: [{ functionDeclarations: [{ name: 'a' }] }], contents: [{ role: 'user', parts }] }
    expect(await ask('/v1/models/x:generateContent', gemini)).toContain('second')
  })

  it('is a proxy that only reaches itself', async () => {
    model = await startModel({ main: [[use('first')]], sub: [], settled: async () => {}, heard: () => {} })
    const { host, hostname, port } = new URL(model.url)
    const send = (text: string) =>
      new Promise<string>((done) => {
        const socket = connect(Number(port), hostname)
        let said = ''
        socket.setEncoding('utf8').on('data', (more: string) => (said += more))
        socket.on('close', () => done(said))
        socket.write(text)
      })
    const close = `host: ${host}\r\nconnection: close\r\n\r\n`
    expect(await send(`CONNECT example.org:443 HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1.1 403 /)
    expect(await send(`GET http://example.net/v1/models HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1.1 403 /)
    expect(model.refused()).toEqual(['example.org:443', 'example.net'])
    const tunnelled = `CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n\r\nGET /v1/models HTTP/1.1\r\n${close}`
    expect(await send(tunnelled)).toMatch(/^HTTP\/1.1 200 OK\r\n\r\nHTTP\/1.1 200 OK[^]*"scripted"/)
    expect(await send(`GET ${model.url}/v1/models HTTP/1.1\r\n${close}`)).toContain('"scripted"')
  })

  it('uses another script for a subagent, and none if no tools are offered', async () => {
    model = await startModel({
      main: [[use('first')]],
      sub: [[use('below')]],
      settled: async () => {},
      heard: () => {},
    })
    const messages = [{ role: 'user', content: 'SUBAGENT: go' }]
    expect(await ask('/v1/messages', { tools: [{ name: 'a' }], messages })).toContain('"below"')
    expect(await ask('/v1/messages', { messages })).toContain('title')
  })
})

describe('the verdicts', () => {
  const ran = (problems: string[], addedMs?: number): Verdict => ({
    agent: claude,
    scenario,
    kind: 'ran',
    run: { problems, seconds: 1, ...(addedMs !== undefined && { addedMs }) },
  })
  const skipped: Verdict = { agent: claude, scenario, kind: 'skipped', why: 'npm failed with E404' }

  it('count agents that could not be installed as skipped, never as passed', () => {
    const counts = { passed: 1, failed: 1, skipped: 1, limits: 0 }
    expect(countVerdicts([ran([]), ran(['no']), skipped])).toEqual(counts)
    expect(printVerdict(skipped)).toContain('skipped: npm failed with E404')
    expect(printVerdict(ran(['a: expected b']))).toMatch(/FAIL[^]*a: expected b/)
  })

  it('are written between the marks of the page, and keep cells that were not run', () => {
    const empty = 'above\n<!-- written by npm run agents -- --write-docs -->\nold\n<!-- end -->\nbelow\n'
    const page = withTable(empty, [ran([], 30)])
    expect(page).toMatch(/^above\n[^]*\| yes \|[^]*\| 30 ms \|[^]*<!-- end -->\nbelow\n$/)
    expect(page).not.toContain('\nold\n')
    expect(withTable(page, [])).toBe(page)
    expect(withTable(page, [skipped])).toBe(page)
    const failed = withTable(page, [ran(['no'])])
    expect(failed).toContain('| **no** |')
    expect(failed).not.toContain('| yes |')
    expect(() => withTable('nothing', [])).toThrow('Cannot write docs/agents.md')
  })

  it('name the reason if an agent lacks what a scenario needs', () => {
    const opencode = agents.find(({ name }) => name === 'opencode') ?? claude
    const dialog = scenarios.find(({ needs }) => needs.includes('dialog')) ?? scenario
    expect(limitOf(opencode, dialog)).toMatch(/MCP servers/)
    expect(limitOf(opencode, scenario)).toBeUndefined()
  })
})

it('refuse unknown agents and scenarios, and list the known ones', () => {
  expect(() => parseAgentsArguments(['clod'])).toThrow(/the agent clod: expected one of claude, codex/)
  expect(() => parseAgentsArguments(['--scenario', 'x'])).toThrow(/the scenario x: expected one of forbidden/)
  expect(parseAgentsArguments(['codex', '--ci']).agents.map(({ name }) => name)).toEqual(['codex'])
  expect(parseAgentsArguments(['--ci']).scenarios.length).toBeLessThan(
    parseAgentsArguments([]).scenarios.length,
  )
})
