import { describe, expect, it } from 'vitest'
import { macProcesses } from './mac-processes.ts'
import type { Process, Processes } from './processes.ts'
import { openProcesses, proofOfPerson } from './prove-person.ts'

const terminal = { name: 'pts/1', isMade: true }
const init: Process = {
  pid: 1,
  parent: 0,
  user: 0,
  leader: 1,
  terminal: undefined,
  name: 'systemd',
  program: '/usr/lib/systemd/systemd',
  args: ['/sbin/init'],
  variables: undefined,
}

const far = '192.0.2.7 50000 192.0.2.1 22'
const login: Process = {
  ...init,
  pid: 20,
  parent: 1,
  name: 'login',
  program: undefined,
  args: ['login -- anna'],
}

function shell(more: Partial<Process>): Process {
  return {
    ...init,
    pid: 100,
    parent: 1,
    leader: 100,
    terminal,
    name: 'bash',
    program: '/bin/bash',
    args: ['-bash'],
    ...more,
  }
}

function proofOf(all: readonly Process[], more: Partial<Processes> = {}) {
  const processes: Processes = {
    find: (pid) => all.find((one) => one.pid === pid),
    holdersOf: () => [],
    clientsOf: () => [],
    isOwnFile: () => false,
    isWhole: () => true,
    isRemote: (connection) => connection === far,
    ...more,
  }
  return proofOfPerson({ processes, pid: 100, env: {} })
}

describe('over ssh', () => {
  const server: Process = {
    ...init,
    pid: 10,
    parent: 1,
    name: 'sshd',
    args: ['sshd: /usr/sbin/sshd -D'],
    program: undefined,
  }
  const session: Process = { ...server, pid: 11, parent: 10, user: 1000, args: ['sshd: anna@pts/1'] }
  const from = (said: string | undefined) =>
    shell({ parent: 11, variables: new Map(said === undefined ? [] : [['SSH_CONNECTION', said]]) })

  it('a session from another machine is agent-free', () => {
    expect(proofOf([init, server, session, from(far)])).toMatchObject({ kind: 'agent-free' })
  })

  it.each([
    ['from anywhere else', '127.0.0.1 50000 127.0.0.1 22'],
    ['from nowhere', undefined],
    ['with nothing in it', ''],
  ])('one %s is refused', (_how, said) => {
    expect(proofOf([init, server, session, from(said)])).toMatchObject({
      kind: 'unproven',
      reason: expect.stringContaining('ssh'),
    })
  })

  it('one in which one process says so and another does not is refused', () => {
    const own = { ...from('127.0.0.1 50000 127.0.0.1 22'), pid: 99, leader: 99 }
    const inner = shell({ parent: 99, leader: 99, variables: new Map([['SSH_CONNECTION', far]]) })
    expect(proofOf([init, server, session, own, inner])).toMatchObject({ kind: 'unproven' })
  })

  it('a program that only calls itself sshd is refused', () => {
    const fake = { ...session, parent: 1 }
    expect(proofOf([init, fake, from(far)])).toMatchObject({
      reason: 'the program that shows its terminal cannot be seen',
    })
  })
})

it('the console of the machine is agent-free', () => {
  const console = { name: 'tty1', isMade: false }
  const proof = { kind: 'agent-free', terminal: 'tty1' }
  expect(proofOf([init, login, shell({ terminal: console, parent: login.pid })])).toEqual(proof)
})

it.each([
  ['nobody logged in on', [init]],
  ['a program that calls itself login shows', [init, { ...login, user: 1000 }]],
])('a console that %s is refused', (_what, above) => {
  const own = shell({ terminal: { name: 'tty1', isMade: false }, parent: above.at(-1)?.pid ?? 0 })
  expect(proofOf([...above, own])).toMatchObject({ reason: 'nobody logged in on its console' })
})

it('a terminal program that an agent started is refused, whoever started the shell in it', () => {
  const agent: Process = { ...init, pid: 30, parent: 1, name: 'claude', program: undefined, args: ['claude'] }
  const holder: Process = {
    ...init,
    pid: 31,
    parent: 30,
    name: 'xterm',
    program: '/usr/bin/xterm',
    args: ['xterm'],
  }
  expect(proofOf([init, shell({}), agent, holder], { holdersOf: () => [holder] })).toMatchObject({
    reason: expect.stringContaining('its terminal: Claude Code started it'),
  })
})

it('a process in a namespace is refused', () => {
  const own = shell({ terminal: { name: 'tty1', isMade: false }, parent: login.pid })
  expect(proofOf([init, login, own], { isWhole: () => false })).toMatchObject({
    reason: expect.stringContaining('namespace'),
  })
})

describe('between the terminal and the process', () => {
  const started = (by: Partial<Process>) =>
    proofOf([
      init,
      login,
      shell({ pid: 90, leader: 90, terminal: { name: 'tty1', isMade: false }, parent: login.pid }),
      shell({ pid: 91, leader: 90, terminal: { name: 'tty1', isMade: false }, parent: 90, ...by }),
      shell({ leader: 90, terminal: { name: 'tty1', isMade: false }, parent: 91 }),
    ])
  const node = (...args: string[]) => ({ name: 'node', program: '/usr/bin/node', args })

  it.each([
    ['a shell of busybox', { name: 'ash', program: '/bin/busybox', args: ['-ash'] }],
    ['sudo', { name: 'sudo', program: undefined, args: ['sudo', '-s'] }],
    ['npx', node('npm exec pml trust')],
    ['npx of a path', node('node', '/usr/lib/node_modules/npm/bin/npx-cli.js', '-y', 'pml')],
    ['pnpm', node('node', '--no-warnings', '/usr/lib/pnpm.cjs', 'exec', 'pml')],
    ['yarn', node('/usr/bin/node', '/usr/bin/yarn.js', 'pml', 'trust')],
    ['bun', { name: 'bun', program: '/usr/bin/bun', args: ['bun', 'x', 'pml'] }],
  ])('%s may stand', (_what, by) => {
    expect(started(by)).toMatchObject({ kind: 'agent-free' })
  })

  it.each([
    ['npm install', node('npm install')],
    ['npm run', node('npm run pml')],
    ['node pnpm', node('node', '/usr/lib/pnpm.cjs', 'install')],
    ['bun install', { name: 'bun', program: '/usr/bin/bun', args: ['bun', 'install'] }],
    ['node pml', node('node', '/srv/pml/bin/pml.js', 'serve')],
    ['find', { name: 'find', program: '/bin/busybox', args: ['find'] }],
    ['node a?b?c', node('node', 'a"b;c')],
  ])('%s may not', (what, by) => {
    expect(started(by)).toMatchObject({ reason: `${what} (process 91) started it, not you` })
  })
})

it.each([
  ['a hidden parent', [shell({ parent: 7 })], 'cannot be inspected'],
  ['a terminal from outside of a container', [shell({ parent: 0 })], 'cannot be seen'],
  ['a leader in another namespace', [init, shell({ leader: 0 })], 'did not start it'],
])('%s is refused', (_what, all, reason) => {
  expect(proofOf(all)).toMatchObject({ kind: 'unproven', reason: expect.stringContaining(reason) })
})

it('settings of an agent in the environment do not count as its mark', () => {
  const console = { name: 'tty1', isMade: false }
  const variables = new Map([
    ['CLAUDE_CODE_USE_BEDROCK', '1'],
    ['CODEX_HOME', '/home/anna/.codex'],
  ])
  const own = shell({ terminal: console, variables, parent: login.pid })
  expect(proofOf([init, login, own])).toMatchObject({ kind: 'agent-free' })
})

it('Windows has no way to know', () => {
  expect(openProcesses('win32', 1)).toBeUndefined()
})

describe('on macOS', () => {
  const list = [
    '    1     0     0 Ss   ??       /sbin/launchd',
    '  300     1   501 S    ??       /System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal',
    '  301   300     0 Ss   ttys001  login',
    '  302   301   501 S    ttys001  -zsh',
    '  310   302   501 S+   ttys001  node',
    '  320   302   501 S+   ttys001  claude',
    '  321   320   501 S+   ttys001  /bin/zsh',
    '  400     1   501 S    ??       /usr/bin/script',
    '  401   400   501 Ss+  ttys002  /bin/zsh',
  ].join('\n')
  const variables: Record<string, string> = {
    '321': '/bin/zsh -c x HOME=/Users/anna CLAUDECODE=1 TERM=xterm',
  }
  const ps = (options: readonly string[]) =>
    options[0] === '-axww' ? list : (variables[options.at(-1) ?? ''] ?? 'zsh HOME=/Users/anna TERM=xterm')
  const own = { ...macProcesses(ps), isOwnFile: () => false }
  const proof = (pid: number) => proofOfPerson({ processes: own, pid, env: {} })

  it('a shell of Terminal is agent-free', () => {
    expect(proof(310)).toEqual({ kind: 'agent-free', terminal: 'ttys001' })
  })

  it('what an agent or script started is not', () => {
    expect(proof(321)).toMatchObject({ reason: expect.stringContaining('CLAUDECODE') })
    expect(proof(320)).toMatchObject({ reason: expect.stringContaining('Claude Code started it') })
    expect(proof(401)).toMatchObject({ reason: expect.stringContaining('opened by script') })
  })
})
