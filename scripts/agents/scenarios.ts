import type { ScriptedCall as Call } from '@pml/hooks/agents'
import { SUBAGENT } from '../../packages/pml/src/agents/live/model/start-model.ts'
import type { Capability } from './agents/agent.ts'

/** The message that the model must get about a call. */
export type Told =
  /** Only the reason of the hook, after the agent's own words. */
  | { readonly blockedBy: string; readonly has?: readonly string[] }
  /** The agent's own message that its hook failed and the call is refused. */
  | { readonly refused: true }
  /** The call ran, and pml undid its change against a rule and said so. */
  | { readonly undoneBy: string }
  /** The call ran; its result contains these texts. */
  | { readonly passed: true; readonly has?: readonly string[] }
  /** The gateway asked, about this if it is given, and nobody answered: the call did not run. */
  | { readonly asked: true | 'one:echo' | 'local.mcp.one.server' }
  /** The gateway refused the call with this message. */
  | { readonly answered: readonly string[] }

/** Something that happens outside of the agent, between two turns. */
export type Act =
  /** Another key approves the change in the last result. */
  | 'approve-change'
  /** The person runs the command in the last result. */
  | 'approve-question'

export interface Turn {
  /** The calls, made in parallel. */
  readonly calls: readonly Call[]
  /** The expected message for each call. */
  readonly told: Told
  /** Files of the project after the calls: their content, or null if absent. */
  readonly disk?: Readonly<Record<string, string | null>>
  readonly afterwards?: Act
}

export interface Scenario {
  readonly name: string
  /** The row of the table in docs/agents.md. */
  readonly title: string
  readonly needs: readonly Capability[]
  /** Whether .ci/run also runs it. */
  readonly inCi?: boolean
  readonly registry?: 'up' | 'down'
  readonly hook?: 'installed' | 'missing' | 'killed' | 'hanging' | 'skipped'
  /** The start of the output of `pml hooks doctor --live`; there are no turns then. */
  readonly live?: string
  /** The place of the hooks; the user's settings by default. */
  readonly scope?: 'project' | 'user'
  /** Whether the agent trusts the project's folder; the agent's own file has the doctor's expected message. */
  readonly isTrusted?: boolean
  /** The rules of `.pml.json` for the gateway and its only server, `one`. */
  readonly gateway?: {
    readonly allow: readonly string[]
    readonly deny?: readonly string[]
    /** Its tool has another description than the locked one. */
    readonly hasChanged?: boolean
  }
  /** The answer in the agent's dialog. */
  readonly dialog?: 'once' | 'no'
  /** A server in the agent's settings that is not in any lockfile. */
  readonly hasStrayServer?: boolean
  readonly isYolo?: boolean
  /** Prints what the hook adds to each call, compared with the same turns without it. */
  readonly isMeasured?: boolean
  /** Files that exist before the turns. */
  readonly files?: Readonly<Record<string, string>>
  readonly turns: readonly Turn[]
  /** The calls of the subagent. */
  readonly sub?: Turn
}

/** Placeholder for a text that differs in every run. */
export const RUN = '{{run}}'
/** Placeholders for the file with the agent's hooks, and for its name. */
export const HOOK_FILE = '{{hookFile}}'
export const AGENT = '{{agent}}'

/** Exists in every project, because some agents write only into existing folders. */
export const projectFiles = { 'notes/README.md': '# Notes\n', 'workspace/README.md': '# Workspace\n' }

const script = 'await fetch("https://api.telegram.org/bot1/sendMessage")\n'
const forbidden: Call = { kind: 'write', path: 'workspace/send_telegram.js', content: script }
const notWritten = { 'workspace/send_telegram.js': null }
const byRule: Told = { blockedBy: 'EXECUTABLE_IN_WORKSPACE', has: ['ACTION::', 'Cannot write'] }

const strong = `// ${RUN}\nit('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n`
const weak = `// ${RUN}\nit('adds', () => {\n  expect(add(1, 2)).toBeTruthy()\n})\n`
const readTest: Turn = {
  calls: [{ kind: 'read', path: 'src/add.test.ts' }],
  told: { passed: true, has: ['toBe(3)'] },
}
const weakening: Call = {
  kind: 'edit',
  path: 'src/add.test.ts',
  before: '  expect(add(1, 2)).toBe(3)',
  after: '  expect(add(1, 2)).toBeTruthy()',
}
const strengthening: Call = { ...weakening, before: weakening.after, after: weakening.before }

const note = (name: string): Turn => ({
  calls: [{ kind: 'write', path: `notes/${name}.md`, content: `# ${name}\n` }],
  told: { passed: true },
  disk: { [`notes/${name}.md`]: `# ${name}\n` },
})

const large = `${'0123456789abcdef '.repeat(64)}\n`.repeat(2890)

const echo = (message: string): Call => ({
  kind: 'mcp',
  server: 'pml',
  tool: 'one__echo',
  input: { message },
})

export const scenarios: readonly Scenario[] = [
  {
    name: 'forbidden-write',
    title: 'a forbidden script is blocked; the model reads only the reason',
    needs: ['hooks'],
    inCi: true,
    turns: [{ calls: [forbidden], told: byRule, disk: notWritten }],
  },
  {
    name: 'forbidden-shell',
    title: 'a forbidden script by a shell command is blocked',
    needs: ['hooks'],
    inCi: true,
    turns: [
      {
        calls: [
          {
            kind: 'shell',
            command: `mkdir -p workspace && printf '%s' 'await fetch("https://api.telegram.org/bot1/x")' > workspace/send_telegram.js`,
          },
        ],
        told: byRule,
        disk: notWritten,
      },
    ],
  },
  {
    name: 'shell-trick',
    title: 'the effect of an unreadable command is undone',
    needs: ['hooks'],
    inCi: true,
    files: { run: 'cat script.txt > workspace/send_telegram.js\n', 'script.txt': script },
    turns: [
      {
        calls: [{ kind: 'shell', command: 'sh run' }],
        told: { undoneBy: 'EXECUTABLE_IN_WORKSPACE' },
        disk: notWritten,
      },
      note('after'),
    ],
  },
  {
    name: 'ordinary-write',
    title: 'ordinary writes pass',
    needs: ['hooks'],
    isMeasured: true,
    turns: Array.from({ length: 12 }, (_, index) => note(`note-${index}`)),
  },
  {
    name: 'approval',
    title: 'a weakened test passes once after an approval',
    needs: ['hooks'],
    inCi: true,
    registry: 'up',
    files: { 'src/add.test.ts': strong },
    turns: [
      readTest,
      {
        calls: [weakening],
        told: { blockedBy: 'TEST_WEAKENED', has: ['ask testguard to review change chg_'] },
        disk: { 'src/add.test.ts': strong },
        afterwards: 'approve-change',
      },
      { calls: [weakening], told: { passed: true }, disk: { 'src/add.test.ts': weak } },
      { calls: [strengthening], told: { passed: true }, disk: { 'src/add.test.ts': strong } },
      {
        calls: [weakening],
        told: { blockedBy: 'TEST_WEAKENED' },
        disk: { 'src/add.test.ts': strong },
      },
    ],
  },
  {
    name: 'registry-down',
    title: 'registry down: changes that need approval are blocked with the reason; others pass',
    needs: ['hooks'],
    registry: 'down',
    files: { 'src/add.test.ts': strong },
    turns: [
      readTest,
      {
        calls: [weakening],
        told: { blockedBy: 'TEST_WEAKENED', has: ['nobody can be asked'] },
        disk: { 'src/add.test.ts': strong },
      },
      note('after'),
    ],
  },
  {
    name: 'own-settings',
    title: 'the agent cannot change the settings of its hooks',
    needs: ['hooks'],
    turns: [
      {
        calls: [{ kind: 'shell', command: `echo {} > ${HOOK_FILE}` }],
        told: { blockedBy: 'GUARD_CHANGED' },
      },
      {
        calls: [{ kind: 'shell', command: `pml hooks uninstall --agent ${AGENT} --scope user` }],
        told: { blockedBy: 'GUARD_COMMAND' },
      },
      { calls: [forbidden], told: byRule, disk: notWritten },
    ],
  },
  {
    name: 'hook-missing',
    title: 'a hook whose file is missing blocks',
    needs: ['hooks'],
    inCi: true,
    hook: 'missing',
    turns: [{ calls: [forbidden], told: { refused: true }, disk: notWritten }],
  },
  {
    name: 'hook-killed',
    title: 'a hook that is killed blocks',
    needs: ['hooks'],
    hook: 'killed',
    turns: [{ calls: [forbidden], told: { refused: true }, disk: notWritten }],
  },
  {
    name: 'hook-hanging',
    title: 'a hook that hangs blocks',
    needs: ['hooks'],
    inCi: true,
    hook: 'hanging',
    turns: [{ calls: [forbidden], told: { refused: true }, disk: notWritten }],
  },
  {
    name: 'doctor-live',
    title: '`pml hooks doctor --live` reports that the hook runs',
    needs: ['hooks'],
    inCi: true,
    live: 'ok: the hook ran and the model read BLOCKED::EXECUTABLE_IN_WORKSPACE',
    turns: [],
  },
  {
    name: 'doctor-live-no',
    title: '`pml hooks doctor --live` reports an agent that skips the hook',
    needs: ['hooks'],
    inCi: true,
    hook: 'skipped',
    live: 'error: the agent made the call without running the hook',
    turns: [],
  },
  {
    name: 'trusted-folder',
    title: 'project hooks run in a trusted folder, and `pml hooks doctor` says so',
    needs: ['hooks', 'folder trust in files'],
    scope: 'project',
    isTrusted: true,
    turns: [],
  },
  {
    name: 'untrusted-folder',
    title: 'project hooks do not run in an untrusted folder, and `pml hooks doctor` says so',
    needs: ['hooks', 'folder trust in files'],
    scope: 'project',
    isTrusted: false,
    turns: [],
  },
  {
    name: 'untrusted-user',
    title: '`pml hooks doctor` says whether user hooks run in an untrusted folder',
    needs: ['hooks', 'folder trust in files'],
    isTrusted: false,
    turns: [],
  },
  {
    name: 'subagent',
    title: 'calls of subagents are checked',
    needs: ['hooks', 'subagent'],
    sub: { calls: [forbidden], told: byRule },
    turns: [
      {
        calls: [{ kind: 'subagent', prompt: `${SUBAGENT}: write the script` }],
        told: { passed: true },
        disk: notWritten,
      },
    ],
  },
  {
    name: 'unlocked-server',
    title: 'calls of an unlocked MCP server are blocked',
    needs: ['hooks'],
    hasStrayServer: true,
    turns: [
      {
        calls: [{ kind: 'mcp', server: 'stray', tool: 'echo', input: { message: 'hi' } }],
        told: { blockedBy: 'MCP_UNLOCKED' },
      },
    ],
  },
  {
    name: 'yolo',
    title: 'hooks run in yolo mode',
    needs: ['hooks'],
    isYolo: true,
    turns: [{ calls: [forbidden], told: byRule, disk: notWritten }, note('allowed')],
  },
  {
    name: 'parallel',
    title: 'parallel calls are checked one by one',
    needs: ['hooks'],
    turns: [
      {
        calls: ['a', 'b', 'c'].map((name): Call => ({
          kind: 'write',
          path: `workspace/${name}.js`,
          content: script,
        })),
        told: byRule,
        disk: { 'workspace/a.js': null, 'workspace/b.js': null, 'workspace/c.js': null },
      },
      {
        calls: ['a', 'b', 'c'].map((name): Call => ({
          kind: 'write',
          path: `notes/${name}.md`,
          content: `# ${name}\n`,
        })),
        told: { passed: true },
        disk: { 'notes/a.md': '# a\n', 'notes/b.md': '# b\n', 'notes/c.md': '# c\n' },
      },
    ],
  },
  {
    name: 'large-write',
    title: 'a write of 3 MB is checked',
    needs: ['hooks'],
    turns: [{ calls: [{ ...forbidden, content: `// ${large}${script}` }], told: byRule, disk: notWritten }],
  },
  {
    name: 'gateway-call',
    title: 'gateway: tools are listed and called',
    needs: ['gateway'],
    inCi: true,
    gateway: { allow: ['one:*'] },
    turns: [
      { calls: [echo('hi')], told: { passed: true, has: ['hi'] } },
      { calls: [echo('again')], told: { passed: true, has: ['again'] } },
    ],
  },
  {
    name: 'gateway-ask',
    title: 'gateway: a call without a rule is not made before an answer',
    needs: ['gateway'],
    inCi: true,
    gateway: { allow: [] },
    turns: [{ calls: [echo('hi')], told: { asked: 'one:echo' } }],
  },
  {
    name: 'gateway-approve',
    title: 'gateway: after "pml continue --approve" the same call passes once',
    needs: ['gateway'],
    inCi: true,
    gateway: { allow: [] },
    turns: [
      { calls: [echo('hi')], told: { asked: 'one:echo' }, afterwards: 'approve-question' },
      { calls: [echo('hi')], told: { passed: true, has: ['hi'] } },
      { calls: [echo('hi')], told: { asked: 'one:echo' } },
    ],
  },
  {
    name: 'gateway-dialog',
    title: 'gateway: after a yes in the dialog the call is made',
    needs: ['gateway', 'dialog'],
    gateway: { allow: [] },
    dialog: 'once',
    turns: [{ calls: [echo('hi')], told: { passed: true, has: ['hi'] } }],
  },
  {
    name: 'gateway-dialog-no',
    title: 'gateway: after a no in the dialog the call is refused',
    needs: ['gateway', 'dialog'],
    gateway: { allow: [] },
    dialog: 'no',
    turns: [{ calls: [echo('hi')], told: { answered: ['a person said no'] } }],
  },
  {
    name: 'gateway-denied',
    title: 'gateway: a denied tool is not listed',
    needs: ['gateway'],
    gateway: { allow: ['one:echo'], deny: ['one:fail'] },
    turns: [
      { calls: [echo('hi')], told: { passed: true, has: ['hi'] } },
      {
        calls: [{ kind: 'mcp', server: 'pml', tool: 'one__fail', input: {} }],
        told: { answered: ['one__fail'] },
      },
    ],
  },
  {
    name: 'gateway-drift',
    title: 'gateway: a server with a changed tool stops until a person agrees',
    needs: ['gateway'],
    gateway: { allow: ['one:*'], hasChanged: true },
    turns: [{ calls: [echo('hi')], told: { asked: 'local.mcp.one.server' } }],
  },
  {
    name: 'gateway-add',
    title: 'gateway: pml_add prompts first',
    needs: ['gateway'],
    registry: 'up',
    gateway: { allow: [] },
    turns: [
      {
        calls: [
          { kind: 'mcp', server: 'pml', tool: 'pml_add', input: { reference: 'pml.std.string.slugify' } },
        ],
        told: { asked: true },
      },
    ],
  },
  {
    name: 'gateway-dies',
    title: 'gateway: a server that dies is reported and restarted',
    needs: ['gateway'],
    gateway: { allow: ['one:*'] },
    turns: [
      {
        calls: [{ kind: 'mcp', server: 'pml', tool: 'one__die', input: {} }],
        told: { answered: ['Cannot call die of one: it exited with code 7'] },
      },
      { calls: [echo('hi')], told: { passed: true, has: ['hi'] } },
    ],
  },
  {
    name: 'together',
    title: 'hooks and gateway together',
    needs: ['hooks', 'gateway'],
    inCi: true,
    gateway: { allow: ['one:*'] },
    turns: [
      { calls: [echo('hi')], told: { passed: true, has: ['hi'] } },
      { calls: [forbidden], told: byRule, disk: notWritten },
      note('after'),
    ],
  },
]
