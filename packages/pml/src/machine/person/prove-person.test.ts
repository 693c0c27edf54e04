import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminal, type PersonsTerminal } from '../../../test/persons-terminal.ts'
import { hasTerminal } from '../../../test/terminal.ts'

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const hasTmux = has('tmux')
const hasNamespaces = spawnSync('unshare', ['-Urpf', '--mount-proc', 'true']).status === 0

let terminal: PersonsTerminal
beforeAll(async () => {
  terminal = await openTerminal()
})
afterAll(() => terminal.remove())

const agentFree = { kind: 'agent-free', terminal: expect.stringMatching(/^pts\/\d+$/) }
const refused = (reason: RegExp) => ({ kind: 'unproven', reason: expect.stringMatching(reason) })
/** One that starts all that has no agent's variables. */
const agent = (line: string) => `./claude "${line}"`

describe.skipIf(!hasTerminal)('a process on a terminal that a person opened', () => {
  it('is agent-free', async () => {
    expect(await terminal.type(terminal.ask())).toEqual(agentFree)
    expect(await terminal.type(`sh -c "${terminal.ask()}; :"`)).toEqual(agentFree)
  })

  it('is agent-free through a package runner', async () => {
    await terminal.program('node_modules/.bin/prove', terminal.ask())
    expect(await terminal.type('npm exec --offline prove')).toEqual(agentFree)
    expect(await terminal.type('npx --offline prove')).toEqual(agentFree)
  })

  it('is agent-free while an agent runs in the same terminal', async () => {
    expect(await terminal.type(`./claude 'sleep 5' & ${terminal.ask()}`)).toEqual(agentFree)
  })

  it.each([
    ['is started by an agent', () => agent(terminal.ask()), /Claude Code started it/],
    ['is started by an agent of Node', () => `node ${node()} '${terminal.ask()}'`, /Claude Code started it/],
    ['has variables of an agent', () => `CLAUDECODE=1 ${terminal.ask()}`, /CLAUDECODE is set/],
    [
      'was started by one that has them',
      () => `CODEX_SANDBOX=1 sh -c 'env -i ${terminal.ask()}; :'`,
      /CODEX_SANDBOX, a variable of Codex/,
    ],
    [
      'was left alone by an agent',
      () => agent(`env -i ${terminal.ask('--orphaned')} &`),
      /opened its terminal did not start it/,
    ],
    [
      'has a session of its own',
      () => agent(`setsid -f nohup env -i ${terminal.ask()}`),
      /does not run on a terminal/,
    ],
  ])('is refused where it %s', async (_how, line, reason) => {
    expect(await terminal.type(line())).toEqual(refused(reason))
  })

  const oneLine = (text: string) => `'${text}'`
  it.each([
    [
      'git',
      () =>
        `git -c user.name=x -c user.email=x@example.com -c core.hooksPath=hooks commit --allow-empty -m x`,
      async () => {
        spawnSync('git', ['init', '-q'], { cwd: terminal.folder })
        await terminal.program('hooks/pre-commit', terminal.ask())
      },
    ],
    ['npm', () => 'npm run prove', () => writePackage({ prove: terminal.ask() })],
    ['npm', () => 'npm install --offline', () => writePackage({ postinstall: terminal.ask() })],
    ['node', () => 'node server.cjs', () => terminal.program('server.cjs', spawning(terminal.ask()), '')],
    ['python3', () => `python3 -c ${oneLine(`import os; os.system("${terminal.ask()}"); 1`)}`, () => {}],
    ['find', () => `find xterm -exec ${terminal.ask()} \\;`, () => {}],
  ])('is refused where a file in the project had %s start it: %#', async (program, line, prepare) => {
    await prepare()
    expect(await terminal.type(line())).toEqual(refused(new RegExp(`^${program}.* started it, not you$`)))
  })

  it('is refused on a terminal program that this user put there', async () => {
    expect(await terminal.type(terminal.ask(), { user: 1000 })).toEqual(
      refused(/xterm .* not installed for the whole machine/),
    )
  })
})

describe.skipIf(!hasTerminal)('a terminal that a program made is refused', () => {
  const script = (line: string) => `script -qc '${line}' /dev/null`
  const python = (line: string) => `python3 -c 'import pty; pty.spawn([\\"sh\\", \\"-c\\", \\"${line}\\"])'`

  it.each([
    ['script, by an agent', () => agent(script(terminal.ask())), /Claude Code started it/],
    [
      'script, by an agent that hides',
      () => agent(`env -i ${script(terminal.ask())}`),
      /Claude Code started it/,
    ],
    [
      'script, by an agent that is gone',
      () => agent(`setsid -f env -i ${script(terminal.ask())}`),
      /opened by script/,
    ],
    ['script, by a person', () => script(terminal.ask()), /opened by script/],
    ['pty of Python', () => agent(`setsid -f ${python(terminal.ask())}`), /opened by python3/],
    // Where a program is not installed, another makes the same terminal under its name.
    [
      'expect',
      () => agent(`setsid -f env -i PATH=$PATH ${expectOrNot(terminal.ask())}`),
      /opened by (?:expect|script)/,
    ],
    ['screen', () => agent(screenOrNot(terminal.ask())), /no terminal of a person is attached to screen/],
  ])('%s', async (_how, line, reason) => {
    expect(await terminal.type(line())).toEqual(refused(reason))
    expect(await terminal.run(line())).toMatchObject({ kind: 'unproven' })
  })
})

it('a job of at, which has its variables and no terminal, is refused', async () => {
  // What atd does: a shell in a session of its own reads the job, which sets the variables again.
  const job = (variables: string) => `echo '${variables} ${terminal.ask()}' | setsid -f env -i PATH=$PATH sh`
  expect(await terminal.run(job(''))).toEqual(refused(/does not run on a terminal/))
  expect(await terminal.run(job('CLAUDECODE=1'))).toEqual(refused(/CLAUDECODE is set/))
})

it.runIf(hasNamespaces)(
  'a process in a namespace is refused, whatever stands over its files in /proc',
  async () => {
    await terminal.program('map', '0 0 4294967295', '')
    const covered = `mount --bind map /proc/$$/uid_map && exec ${terminal.ask()}`
    expect(await terminal.type(`unshare -Urm sh -c '${covered}'`)).toEqual(refused(/namespace/))
  },
)

it.runIf(hasNamespaces)('a process whose users and parents were made up is refused', async () => {
  const namespace = 'env -i PATH=$PATH unshare -Urpf --mount-proc'
  const line = agent(`${namespace} ./xterm -qc '${terminal.ask()}' /dev/null`)
  expect(await terminal.type(line)).toEqual(refused(/namespace/))
})

describe.skipIf(!hasTerminal || !hasTmux)('tmux', () => {
  const tmux = (name: string) => `tmux -S ${terminal.folder}/${name} -f /dev/null`

  it('is a terminal of the person who looks at it, whatever runs in another pane', async () => {
    const line = `${tmux('own')} new-session 'sleep 5' \\; split-window '${terminal.ask()}'`
    expect(await terminal.type(line)).toEqual(agentFree)
    const beside = `${tmux('beside')} new-session './claude "sleep 5"' \\; split-window '${terminal.ask()}'`
    expect(await terminal.type(beside)).toEqual(agentFree)
  })

  it.each([
    [
      'nobody looks at it',
      (line: string) => `setsid -f env -i ${tmux('a')} new-session -d '${line}'`,
      /no terminal of a person is attached/,
    ],
    [
      'an agent looks at it',
      (line: string) => agent(`env -i TERM=xterm ${tmux('b')} new-session '${line}'`),
      /no terminal of a person is attached/,
    ],
    [
      'an agent started it',
      (line: string) => `CLAUDECODE=1 ${agent(`${tmux('c')} new-session '${line}'`)}`,
      /CLAUDECODE/,
    ],
  ])('is refused where %s', async (_how, line, reason) => {
    expect(await terminal.type(line(terminal.ask()))).toEqual(refused(reason))
  })

  it('is refused where an agent types into a session without a terminal', async () => {
    const name = tmux('typed')
    const line = agent(
      `env -i ${name} new-session -d sh; env -i ${name} send-keys '${terminal.ask()}; exit' Enter`,
    )
    expect(await terminal.type(line)).toEqual(refused(/no terminal of a person is attached/))
  })
})

function expectOrNot(line: string): string {
  return has('expect') ? `expect -c 'spawn sh -c {${line}}; expect eof'` : `script -qc '${line}' /dev/null`
}

function screenOrNot(line: string): string {
  if (has('screen')) return `env -i PATH=$PATH screen -dmS pml-${process.pid} sh -c '${line}'`
  return `cp xterm screen; setsid -f env -i PATH=$PATH ./screen -qc '${line}' /dev/null`
}

const spawning = (line: string) =>
  `require('node:child_process').spawnSync('sh', ['-c', '${line}; :'], { stdio: 'inherit' })`

async function writePackage(scripts: Readonly<Record<string, string>>): Promise<void> {
  await terminal.program('package.json', JSON.stringify({ name: 'x', version: '1.0.0', scripts }), '')
}

function node(): string {
  return `${terminal.folder}/node_modules/@anthropic-ai/claude-code/cli.js`
}
