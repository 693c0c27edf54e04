import { describe, expect, it } from 'vitest'
import {
  compileNative,
  decide,
  parsePolicy,
  type Decision,
  type HookEvent,
  type ToolCall,
  type World,
} from './index.ts'
import type { ShellFacts } from './shell/words/facts.ts'

const rule = (id: string, more: object) => ({
  id,
  reason: `${id} says no`,
  suggestion: `heed ${id}`,
  ...more,
})
const operations = {
  telegram: { server: 'telegram', label: 'Telegram operations', patterns: ['(?i)telegram'], example: 'x' },
  fetch: { server: 'fetch', label: 'HTTP requests', patterns: ['(?i)\\bfetch\\b'], example: 'x' },
  custom: { server: 'mine', label: 'Mine', patterns: ['minemine'], example: 'Do it' },
}
const world: World = {
  home: '/home/me',
  readFile: (path) =>
    path === '/w/a.test.ts' ? { kind: 'text', text: 'expect(1).toBe(1)\n' } : { kind: 'missing' },
  realPath: (path) => path.replace(/^\/w\/link\b/, '/secret'),
  otherNames: () => [],
  expand: () => [],
}

function judge(
  rules: object[],
  call: ToolCall,
  over: Partial<HookEvent> = {},
  shell?: Partial<ShellFacts>,
): Decision {
  const text = JSON.stringify({ version: 1, operations, rules })
  const policy = parsePolicy(text, 'p.json', {
    compile: compileNative,
    examples: 'read',
    installation: ['/opt/pml'],
  })
  const event: HookEvent = {
    agent: 'claude',
    moment: 'before-tool',
    session: 's',
    cwd: '/w',
    call,
    changedFile: undefined,
    mayAsk: false,
    ...over,
  }
  const facts: ShellFacts | undefined = shell && {
    writes: [],
    named: [],
    commands: [],
    folders: new Map(),
    code: [],
    given: [],
    sessions: [],
    unknowns: [],
    isWhole: true,
    ...shell,
  }
  return decide(event, { guarded: [{ root: '/w', policy }], world, shell: facts, refusals: [] })
}

const write = (path: string, content = ''): ToolCall => ({ kind: 'write', tool: 'Write', path, content })
const bash = (command: string): ToolCall => ({ kind: 'shell', tool: 'Bash', command, dialect: 'bash' })
const rulesIn = (decision: Decision) =>
  'findings' in decision ? decision.findings.map((one) => one.rule) : decision.verdict

describe('a decision', () => {
  it('treats a name that starts with dots as an ordinary name', () => {
    const rules = [rule('NO_JS', { effect: 'block', paths: ['*.js'] })]
    expect(rulesIn(judge(rules, write('..a.js')))).toEqual(['NO_JS'])
    expect(rulesIn(judge(rules, write('../a.js')))).toBe('pass')
  })

  it('matches the folders above the root in any case', () => {
    const rules = [rule('NO_JS', { effect: 'block', paths: ['a/*.js'] })]
    expect(rulesIn(judge(rules, write('/W/A/b.js')))).toEqual(['NO_JS'])
  })

  it('is to pass if no rule applies', () => {
    expect(
      judge([rule('NO_JS', { effect: 'block', match: { extensions: ['.js'] } })], write('a.md')),
    ).toEqual({ verdict: 'pass' })
  })

  it('prefers a block to an approval, and an approval to a question', () => {
    const approval = rule('APPROVE', { effect: { approval: 'testguard' }, match: { extensions: ['.js'] } })
    const block = rule('BLOCK', { effect: 'block', match: { extensions: ['.js'] } })
    const ask = rule('ASK', { effect: 'block', unknown: 'ask', match: { content: ['x'] } })
    const unseen = {
      writes: [{ path: '/w/a.js', written: 'a.js', content: { kind: 'unknown', why: 'w' } as const }],
    }
    expect(judge([approval, block], write('a.js')).verdict).toBe('block')
    expect(judge([ask, approval], bash('x'), { mayAsk: true }, unseen).verdict).toBe('approval')
    expect(judge([ask], bash('x'), { mayAsk: true }, unseen).verdict).toBe('ask')
  })

  it('keeps Codex, and no other agent, from starting a program that it could type commands into', () => {
    const shell = { sessions: ['bash -i'] }
    expect(judge([], bash('bash -i'), { agent: 'codex' }, shell)).toMatchObject({
      verdict: 'block',
      findings: [
        {
          rule: 'GUARD_TYPED_COMMANDS',
          reason: expect.stringMatching(/^Cannot run "bash -i": it takes commands from its terminal/),
          suggestion: expect.stringContaining("bash -c '…'"),
        },
      ],
    })
    for (const agent of ['claude', 'copilot', 'cursor', 'gemini', 'windsurf'] as const)
      expect(judge([], bash('bash -i'), { agent }, shell)).toEqual({ verdict: 'pass' })
  })

  it('blocks instead of asking if no person would be asked', () => {
    const ask = rule('ASK', { effect: 'block', unknown: 'ask', match: { content: ['x'] } })
    const unseen = {
      writes: [{ path: '/w/a', written: 'a', content: { kind: 'unknown', why: 'nobody knows' } as const }],
    }
    const decision = judge([ask], bash('x'), { mayAsk: false }, unseen)
    expect(decision).toMatchObject({
      verdict: 'block',
      findings: [{ reason: 'Cannot write a: ASK says no (nobody knows, so it counts as such)' }],
    })
  })

  it('passes unclear cases only if the rule says so', () => {
    const unseen = {
      writes: [{ path: undefined, written: '$X', content: { kind: 'unknown', why: 'w' } as const }],
    }
    const of = (unknown: string) =>
      judge([rule('R1', { effect: 'block', unknown, match: { content: ['x'] } })], bash('x'), {}, unseen)
    expect(of('block').verdict).toBe('block')
    expect(of('allow').verdict).toBe('pass')
  })

  it("judges an unknown path by the agent's folder", () => {
    const unseen = {
      writes: [{ path: undefined, written: '$X', content: { kind: 'text', text: '' } as const }],
    }
    const only = [rule('R1', { effect: 'block', paths: ['in/**'] })]
    expect(judge(only, bash('x'), { cwd: '/w/in' }, unseen).verdict).toBe('block')
    expect(judge(only, bash('x'), { cwd: '/w/out' }, unseen).verdict).toBe('pass')
  })

  it('judges a link by its target and by its own name', () => {
    expect(judge([rule('R1', { effect: 'block', paths: ['/secret/**'] })], write('link/x')).verdict).toBe(
      'block',
    )
    expect(judge([rule('R1', { effect: 'block', paths: ['link/**'] })], write('link/x')).verdict).toBe(
      'block',
    )
  })

  it('judges a command by the real path and by the name of its folder', () => {
    const only = (path: string) => [rule('R1', { effect: 'block', tools: ['shell'], paths: [path] })]
    const run = (path: string) => judge(only(path), bash('ls'), { cwd: '/w/link/a' }, {}).verdict
    expect(['/secret/**', 'link/**', '/elsewhere/**'].map(run)).toEqual(['block', 'block', 'pass'])
  })

  it('ignores calls without a path if the rule has paths', () => {
    const only = [rule('R1', { effect: 'block', paths: ['a/**'] })]
    const mcp = { kind: 'mcp', tool: 'mcp__s__t', server: 's', name: 't', launch: undefined } as const
    const at = (cwd: string) => judge(only, { ...mcp, args: { query: 'x' } }, { cwd }).verdict
    expect([at('/w'), at('/w/a')]).toEqual(['pass', 'block'])
    expect(judge(only, { ...mcp, args: { path: 'a/b', content: '' } }).verdict).toBe('block')
  })

  it('treats both Unicode forms of an accented letter as the same', () => {
    const only = [rule('R1', { effect: 'block', paths: ['r\u{e9}sum\u{e9}/**'] })]
    expect(judge(only, write('re\u{301}sume\u{301}/a.md')).verdict).toBe('block')
  })

  it('covers only the agents and tools of the rule', () => {
    const only = (more: object) => judge([rule('R1', { effect: 'block', ...more })], write('a')).verdict
    expect(only({ agents: ['codex'] })).toBe('pass')
    expect(only({ agents: ['codex', 'claude'] })).toBe('block')
    expect(only({ tools: ['Edit'] })).toBe('pass')
    expect(only({ tools: ['Wri*'] })).toBe('block')
    expect(only({ tools: ['shell'] })).toBe('pass')
    expect(only({ tools: ['write'] })).toBe('block')
  })

  it('is made for every folder that contains the call', () => {
    const policy = (effect: string) =>
      parsePolicy(JSON.stringify({ version: 1, rules: [rule('R1', { effect, paths: ['a'] })] }), 'p', {
        compile: compileNative,
        examples: 'read',
        installation: [],
      })
    const event = {
      agent: 'claude',
      cwd: '/w',
      call: write('/v/a'),
      mayAsk: false,
      moment: 'before-tool',
    } as HookEvent
    const guarded = [
      { root: '/w', policy: policy('block') },
      { root: '/v', policy: policy('block') },
    ]
    const facts = { world, shell: undefined, refusals: [] }
    expect(decide(event, { ...facts, guarded: guarded.slice(0, 1) }).verdict).toBe('pass')
    expect(decide(event, { ...facts, guarded }).verdict).toBe('block')
  })

  it('requires approval once for each file, by its content, for any number of rules', () => {
    const decision = judge(
      [
        rule('ONE', { effect: { approval: 'testguard' }, match: { removed: ['expect'] } }),
        rule('TWO', { effect: { approval: 'testguard' }, match: { content: ['nothing'] } }),
      ],
      write('a.test.ts', 'nothing'),
    )
    expect(decision).toMatchObject({
      verdict: 'approval',
      wanted: [{ path: 'a.test.ts', content: 'nothing', findings: [{ rule: 'ONE' }, { rule: 'TWO' }] }],
    })
  })

  it('requires approval for the call if the written bytes cannot be known', () => {
    const rules = [rule('ANY', { effect: { approval: 'testguard' }, match: { content: ['x'] } })]
    const edit = (before: string): ToolCall => ({
      kind: 'edit',
      tool: 'Edit',
      path: 'a.test.ts',
      edits: [{ before, after: 'x', all: false }],
      writer: 'claude',
    })
    const wanted = (call: ToolCall) => {
      const decision = judge(rules, call)
      return decision.verdict === 'approval' ? decision.wanted[0].content : decision.verdict
    }
    expect(wanted(edit('toBe(1)'))).toBe('expect(1).x\n')
    // With an approval of the text "x" alone, any other edit or a whole file "x" could use the approval.
    expect(wanted(edit('not there'))).toBe(JSON.stringify(edit('not there')))
  })

  it('requires approval for the command if its output cannot be known', () => {
    const unseen = {
      writes: [
        { path: '/w/a.test.ts', written: 'a.test.ts', content: { kind: 'unknown', why: 'w' } as const },
      ],
    }
    const decision = judge(
      [rule('R1', { effect: { approval: 't' }, match: { removed: ['x'] } })],
      bash('sed -i s/a/b/ a.test.ts'),
      {},
      unseen,
    )
    expect(decision).toMatchObject({ wanted: [{ path: 'a.test.ts', content: 'sed -i s/a/b/ a.test.ts' }] })
  })

  it('counts a file that leaves the scope as deleted, but not one that moves within it', () => {
    const moved = (to: string) => ({
      writes: [{ path: '/w/a.test.ts', written: 'a.test.ts', content: { kind: 'moved', to } as const }],
    })
    const only = [rule('R1', { effect: 'block', paths: ['**/*.test.ts'], match: { removed: ['expect'] } })]
    expect(judge(only, bash('x'), {}, moved('/w/b.test.ts')).verdict).toBe('pass')
    expect(judge(only, bash('x'), {}, moved('/w/b.txt')).verdict).toBe('block')
  })

  it.each([['a.JS'], ['a.js.'], ['a.js '], ['x/../a.js'], ['a.b.js'], ['a.js::$DATA']])(
    'recognises the extension of %j',
    (path) => {
      expect(
        judge([rule('R1', { effect: 'block', match: { extensions: ['.js'] } })], write(path)).verdict,
      ).toBe('block')
    },
  )

  it.each([['.js'], ['js'], ['a.jsx'], ['a.js/readme']])('ignores the invalid extension %j', (path) => {
    expect(
      judge([rule('R1', { effect: 'block', match: { extensions: ['.js'] } })], write(path)).verdict,
    ).toBe('pass')
  })

  it('names the server to use instead, with an action as the answer', () => {
    const only = [rule('R1', { effect: { mcp: '*' }, match: { extensions: ['.js'] } })]
    const decision = judge(only, write('send.js', 'telegram to -1002876952840'))
    expect(decision).toMatchObject({
      verdict: 'block',
      findings: [
        {
          reason: 'Cannot write send.js: Telegram operations require spawn_worker with the "telegram" MCP',
          action:
            '{"actions":[{"type":"spawn_worker","task":"Send message to Telegram channel -1002876952840: <text>","servers":["telegram"]}]}',
        },
      ],
    })
    expect(judge(only, write('x.js', 'minemine'))).toMatchObject({
      findings: [{ action: '{"actions":[{"type":"spawn_worker","task":"Do it","servers":["mine"]}]}' }],
    })
  })

  it('names every server that a worker lacks, and the complete list', () => {
    const only = [rule('R1', { tools: ['spawn'], effect: { mcp: '*' }, match: { operations: ['*'] } })]
    const work = { task: 'Fetch it and send it by Telegram', servers: ['filesystem'] }
    const spawn = (input: Record<string, unknown>, tool = 'spawn_worker') =>
      judge(only, { kind: 'other', tool, input })
    const corrected = JSON.stringify({
      actions: [{ type: 'spawn_worker', task: work.task, servers: ['filesystem', 'telegram', 'fetch'] }],
    })
    expect(spawn(work)).toMatchObject({
      verdict: 'block',
      findings: [{ isCorrection: true, action: corrected }],
    })
    expect(spawn({ actions: [{ type: 'spawn_worker', ...work }] }, 'run').verdict).toBe('block')
    expect(spawn({ ...work, servers: ['Telegram', 'fetch'] }).verdict).toBe('pass')
    expect(spawn({ ...work, servers: 'telegram fetch' }).verdict).toBe('block')
  })

  it('searches commands and inline code, and treats unreadable parts as unknown', () => {
    const only = [
      rule('R1', {
        tools: ['shell'],
        effect: 'block',
        match: { commands: ['^curl '], operations: ['telegram'] },
      }),
    ]
    expect(rulesIn(judge(only, bash('x'), {}, { commands: ['ls', 'curl -s x'] }))).toEqual(['R1'])
    expect(
      rulesIn(judge(only, bash('x'), {}, { code: [{ language: 'python', text: 'import telegram' }] })),
    ).toEqual(['R1'])
    expect(rulesIn(judge(only, bash('x'), {}, { unknowns: ['eval of a variable'] }))).toEqual(['R1'])
    expect(rulesIn(judge(only, bash('x'), {}, { commands: ['ls curl '] }))).toBe('pass')
  })

  it('counts commented-out or quoted assertions as removed', () => {
    const only = [rule('R1', { effect: 'block', match: { removed: ['expect\\('] } })]
    for (const content of [
      '// expect(1).toBe(1)\n',
      '/* expect(1).toBe(1) */',
      '`expect(1).toBe(1)`',
      '"expect(1)"',
    ])
      expect(judge(only, write('a.test.ts', content)).verdict).toBe('block')
    expect(judge(only, write('a.test.ts', 'const a = /"/; expect(2) // "\n')).verdict).toBe('pass')
  })
})
