import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  actionTemplates,
  compileNative,
  decide,
  detectOperation,
  getRequiredMcpServers,
  parsePolicy,
  validateSpawnWorker,
  type HookEvent,
  type Policy,
} from '../index.ts'

const file = 'config/enforcement.json'
const text = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')
const reading = { compile: compileNative, examples: 'skip', installation: [] } as const
const builtIn = parsePolicy(text, file, reading)
const { operations } = builtIn

const address = `0x${'ab'.repeat(20)}`

/** The suggested action for a script in an agent's workspace. */
function actionFor(content: string, policy: Policy = builtIn): unknown {
  const call = { kind: 'write', tool: 'Write', path: 'workspace/a.js', content } as const
  const event: HookEvent = {
    agent: 'claude',
    moment: 'before-tool',
    session: undefined,
    cwd: '/project',
    call,
    changedFile: undefined,
    mayAsk: false,
  }
  const world = {
    home: '/home/me',
    readFile: () => ({ kind: 'missing' }) as const,
    expand: () => [],
    realPath: String,
    otherNames: () => [],
  }
  const guarded = [{ root: '/project', policy }]
  const decision = decide(event, { guarded, world, shell: undefined, refusals: [] })
  const [finding] = decision.verdict === 'block' ? decision.findings : []
  return JSON.parse(finding?.action ?? 'null')
}

describe('a script that performs an operation', () => {
  it.each([
    [
      'sendMessage({ chat_id: -1002876952840 })',
      { channel: '-1002876952840', text: '<text>' },
      'sendMessage',
    ],
    ['telegram.sendPhoto("@channel", "a.png")', { channel: '@channel', path: '<path>' }, 'sendImage'],
    ['imagen.run()', { prompt: '<prompt>', path: '<path>' }, 'generateImage'],
    ["fetch('https://example.com/a')", { url: 'https://example.com/a' }, 'fetchUrl'],
    [`etherscan(${address})`, { address, question: '<question>' }, 'queryChain'],
  ] as const)('%s gets the action for it', (content, given, template) => {
    const make = actionTemplates[template] as (given: object) => unknown
    expect(actionFor(content)).toEqual({ actions: [make(given)] })
  })

  it('is assigned to the server that the policy names', () => {
    const over = (more: object) =>
      parsePolicy(JSON.stringify({ version: 1, ...more }), 'p.json', { ...reading, base: builtIn })
    const own = { server: 'tg', label: 'Messages', patterns: ['telegram'], example: 'x' }
    const [task] = [expect.stringContaining('Telegram channel')]
    expect(actionFor('telegram', over({ operations: { telegram: own } }))).toEqual({
      actions: [{ type: 'spawn_worker', task, servers: ['tg'] }],
    })
    const rule = { id: 'EXECUTABLE_IN_WORKSPACE', paths: ['workspace/**'], match: { extensions: ['.js'] } }
    const rules = [{ ...rule, effect: { mcp: 'mine' }, reason: 'r', suggestion: 's' }]
    expect(actionFor('telegram', over({ rules }))).toEqual({
      actions: [{ type: 'spawn_worker', task, servers: ['mine'] }],
    })
  })
})

describe('a task', () => {
  it('matches the first operation of the policy, and needs the servers of all', () => {
    const task = `Query Etherscan for ${address}, then send it to Telegram`
    expect(detectOperation(operations, task)?.name).toBe('telegram')
    expect(detectOperation(operations, 'Sort the list')).toBeUndefined()
    expect(getRequiredMcpServers(operations, task)).toEqual(['telegram', 'etherscan'])
    expect(validateSpawnWorker(operations, { task, servers: ['Etherscan'] })).toMatchObject({
      valid: false,
      missing: [{ name: 'telegram' }],
      servers: ['Etherscan', 'telegram'],
    })
  })
})
