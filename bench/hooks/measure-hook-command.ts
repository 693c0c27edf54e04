import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { timed, type Timed } from '../client/alternate.ts'
import { makeBenchWorkspace, type BenchWorkspace } from '../client/bench-workspace.ts'
import { compare } from '../client/compare.ts'
import { startRegistry, type Registry } from '../registry/start-registry.ts'
import { root } from '../root.ts'
import { newKey } from './new-key.ts'

const rounds = { warmUps: 5, rounds: 40 }
const pml = join(root, 'packages', 'pml', 'bin', 'pml.js')
const nothing = { argv: ['-e', '0'], input: '', status: 0 }

/** The whole process of a hook, compared with an empty Node program. */
export async function measureHookCommand(bench: Bench): Promise<void> {
  if (bench.wanted.has('hook-local')) await measureLocal(bench)
  if (bench.wanted.has('hook-approved')) await measureApproved(bench)
  if (bench.wanted.has('hook-rules')) await measureRules(bench)
  if (bench.wanted.has('hook-witness')) await measureWitness(bench)
}

/** A script that the built-in rules block. */
async function measureLocal(bench: Bench): Promise<void> {
  const workspace = await makeBenchWorkspace(bench.stops, { allow: [] })
  const event = writeOf(workspace, 'workspace/send_telegram.js', 'telegram.sendMessage(1)\n')
  await compare(bench, 'hook-local', {
    ...rounds,
    ours: run(workspace, () => ({ ...hookOn(event), status: 2 })),
    peer: run(workspace, () => nothing),
    against: 'node -e 0',
  })
}

/** A test that passes because it was approved: each round spends its own approval. */
async function measureApproved(bench: Bench): Promise<void> {
  bench.tell('starting a registry for hooks')
  const registry = await startRegistry(bench.stops)
  const [hook, approver] = [
    await newKey(registry, { scopes: ['hook'] }),
    await newKey(registry, { scopes: ['approve'], specialist: 'testguard' }),
  ]
  const workspace = await makeBenchWorkspace(bench.stops, { allow: [] })
  const contents = Array.from(
    { length: rounds.warmUps + rounds.rounds },
    (_, index) => `expect(true).toBe(true) // ${index}\n`,
  )
  const env = { ...workspace.env, PML_REGISTRY_URL: registry.url, PML_API_KEY: hook }
  const events = contents.map((content) => writeOf(workspace, 'src/bench.test.ts', content))
  for (const event of events) await approve(registry, approver, raise({ root: workspace.root, env }, event))
  await compare(bench, 'hook-approved', {
    ...rounds,
    ours: run({ ...workspace, env }, () => ({ ...hookOn(events.pop() ?? ''), status: 0 })),
    peer: run(workspace, () => nothing),
    against: 'node -e 0',
  })
}

/** Returns the id of the hook's change at the registry, which belongs to the workspace's project. */
function raise({ root: cwd, env }: Place, event: string): string {
  const { argv, input } = hookOn(event)
  const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd, env: { ...env }, input })
  const id = /chg_[0-9a-f]+/.exec(`${stdout}${stderr}`)?.[0]
  if (id === undefined) throw new Error(`Cannot prepare an approval: the hook said ${stdout}${stderr}`)
  return id
}

async function approve({ url }: Registry, approver: string, id: string): Promise<void> {
  const headers = { Authorization: `Bearer ${approver}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ reason: 'bench', ttlSeconds: 86_400 })
  const response = await fetch(`${url}/approvals/changes/${id}/approve`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`Cannot prepare an approval: ${response.status} ${await response.text()}`)
}

/** A policy of 500 rules, compared with one of 10. Half of them match the path and search the content. */
async function measureRules(bench: Bench): Promise<void> {
  const hookWith = async (count: number): Promise<Timed> => {
    const workspace = await makeBenchWorkspace(bench.stops, { allow: [] })
    await mkdir(join(workspace.root, '.pml'), { recursive: true })
    await writeFile(
      join(workspace.root, '.pml', 'enforcement.json'),
      JSON.stringify(policyOf(count), null, 2),
    )
    const event = writeOf(
      workspace,
      'src/add.ts',
      'export const add = (a: number, b: number) => a + b\n'.repeat(40),
    )
    return run(workspace, () => ({ ...hookOn(event), status: 0 }))
  }
  await compare(bench, 'hook-rules', {
    ...rounds,
    ours: await hookWith(500),
    peer: await hookWith(10),
    against: '10 rules',
  })
}

const FOLDERS = 500
const FILES_IN_FOLDER = 20

/** The events before and after a command, in a repository of 10,000 files of which 1,000 are tests. */
async function measureWitness(bench: Bench): Promise<void> {
  const workspace = await makeBenchWorkspace(bench.stops, { allow: [] })
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(workspace.root, 'packages', `p${folder % 50}`, `f${folder}`)
    await mkdir(path, { recursive: true })
    for (let file = 0; file < FILES_IN_FOLDER; file++)
      await writeFile(
        join(path, file < 2 ? `a${file}.test.ts` : `a${file}.ts`),
        `expect(add(${file}, 1)).toBe(${file + 1})\n`.repeat(20),
      )
  }
  const before = shellEvent(workspace, 'PreToolUse')
  const after = shellEvent(workspace, 'PostToolUse')
  const events = [before, after].map((event) => run(workspace, () => ({ ...hookOn(event), status: 0 })))
  const nothings = [0, 1].map(() => run(workspace, () => nothing))
  const both = (timed: readonly Timed[]) => async () => {
    let sum = 0
    for (const one of timed) sum += await one()
    return sum
  }
  await compare(bench, 'hook-witness', {
    ...rounds,
    ours: both(events),
    peer: both(nothings),
    against: 'node -e 0 twice',
  })
}

function shellEvent({ root: cwd }: BenchWorkspace, name: string): string {
  return JSON.stringify({
    session_id: 'bench',
    cwd,
    permission_mode: 'default',
    hook_event_name: name,
    tool_name: 'Bash',
    tool_input: { command: 'npm run build' },
    tool_use_id: 'toolu_1',
  })
}

function policyOf(count: number): object {
  const rules = Array.from({ length: count }, (_, index) => ({
    id: `BENCH_${index}`,
    tools: ['write'],
    paths: [index % 2 === 0 ? 'src/**' : `packages/p${index}/**`],
    match: { content: [`forbidden${index}\\(`, `(?i)\\bnever${index}\\b`] },
    effect: 'block',
    reason: `what is forbidden by rule ${index} is in it`,
    suggestion: 'Leave it out.',
    examples: {
      match: [{ path: 'src/a.ts', content: `forbidden${index}()` }],
      pass: [{ path: 'src/a.ts', content: '' }],
    },
  }))
  return { version: 1, rules }
}

type Place = Pick<BenchWorkspace, 'root' | 'env'>

interface Started {
  readonly argv: readonly string[]
  readonly input: string
  readonly status: number
}

function hookOn(event: string): Omit<Started, 'status'> {
  return { argv: [pml, 'hook', '--agent', 'claude'], input: event }
}

function writeOf({ root: cwd }: BenchWorkspace, path: string, content: string): string {
  return JSON.stringify({
    session_id: 'bench',
    cwd,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: { file_path: join(cwd, path), content },
  })
}

function run({ root: cwd, env }: Place, start: () => Started): Timed {
  return () => {
    const { argv, input, status } = start()
    return timed(() => {
      const ended = spawnSync(process.execPath, argv, { cwd, env: { ...env }, input })
      if (ended.status !== status)
        throw new Error(`Cannot run ${argv.join(' ')}: ${ended.status} ${ended.stderr}`)
    })
  }
}
