import { dirname, join, resolve } from 'node:path'
import { PmlError } from '@pml/core/errors'
import {
  askerIn,
  decide,
  enforcementOf,
  findCommand,
  isJsonObject,
  printBlock,
  type Decision,
  type EnforcementEvent,
  type Finding,
  type Guarded,
  type HookEvent,
  type JsonObject,
  type Outcome,
  type Reply,
  type WantedApproval,
  type World,
} from '@pml/hooks'
import { findAdapter } from '@pml/hooks/agents'
import { underDeadline } from './world/deadline.ts'
import { openEventQueue, type EventQueue } from './event-queue.ts'
import type { HookPlace } from './world/hook-place.ts'
import { localWorld } from './world/local-world.ts'
import { printFailure } from './print-failure.ts'
import { projectOf } from './project-of.ts'
import { readGuarded, UnreadablePolicy } from './read-guarded.ts'
import { saveContent, type Keeper } from './world/save-content.ts'
import { settleApproval, type Settled } from './world/settle-approval.ts'
import {
  putPolicyBack,
  watchAfter,
  watchBefore,
  watchStart,
  type Approved,
  type Watching,
} from './witness/watch-calls.ts'

const DECISION_MS = 5000
/** More policies than apply to any event. */
const MOST_POLICIES = 10

/** Decides about one event of an agent. Throws for an event that cannot be parsed; any other failure is a block. */
export async function runHook(agent: string, input: string, place: HookPlace): Promise<Reply> {
  const adapter = findAdapter(agent)
  if (!adapter)
    throw new PmlError('bad_request', `Cannot answer: there is no agent called '${agent.slice(0, 40)}'`)
  const event = adapter.parse(parseInput(input), place.folders[0])
  const outcome = await outcomeOf(event, place).catch(blockAll)
  return adapter.reply(event, outcome)
}

/** Blocks in the agent's own format, so that its model gets the reason. */
function blockAll(error: unknown): Outcome {
  return block(printFailure(error))
}

function block(text: string): Outcome {
  return { kind: 'block', text }
}

function parseInput(input: string): JsonObject {
  const value = tryJson(input)
  if (isJsonObject(value)) return value
  throw new PmlError('bad_request', 'Cannot read the event: expected a JSON object on stdin')
}

function tryJson(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}

async function outcomeOf(event: HookEvent, place: HookPlace): Promise<Outcome> {
  const queue = openEventQueue(join(place.cache, 'hooks', 'queue'))
  if (event.moment === 'other') return { kind: 'pass' }
  const notes: string[] = []
  const guarded = await readPolicies(event, place, notes)
  const world = localWorld(place.home, [...guarded.map(({ root }) => root), ...linkedFolders(place)])
  const judged = await judge(event, { guarded, world, place, queue })
  const outcome = notes.length > 0 && judged.kind === 'pass' ? block(notes.join('\n')) : judged
  if (place.link && queue.count().waiting > 0) await queue.deliver(place.link, place.now).catch(leaveWaiting)
  return outcome
}

interface Judging extends Here {
  readonly queue: EventQueue
}

async function judge(event: HookEvent, judging: Judging): Promise<Outcome> {
  const { guarded, world, place, queue } = judging
  const watching = watchingOf(event, judging)
  switch (event.moment) {
    case 'before-tool': {
      const decision = await decideHere(event, { guarded, world, place })
      const { outcome, approved } = await carryOut(decision, { event, guarded, place, queue })
      if (outcome.kind === 'block') return outcome
      const watched = await watchBefore(watching, approved)
      return watched.kind === 'pass' ? outcome : watched
    }
    case 'after-tool':
      return watchAfter(watching)
    default:
      return watchMoment(event, { judging, watching })
  }
}

async function watchMoment(
  event: HookEvent,
  { judging: { guarded, place }, watching }: { judging: Judging; watching: Watching },
): Promise<Outcome> {
  const { watchConfiguration } = await import('./watch-configuration.ts')
  const outcome = await watchConfiguration(event, { guarded, place })
  if (event.moment !== 'session-start' || outcome.kind !== 'pass') return outcome
  const context = [outcome.context ?? '', await watchStart(watching)].filter((text) => text !== '').join('\n')
  return context === '' ? outcome : { kind: 'pass', context }
}

function watchingOf(event: HookEvent, { guarded, world, place, queue }: Judging): Watching {
  return {
    event,
    guarded,
    place,
    world,
    keeper: keeperOf(place),
    readPolicies: () => readPolicies(event, place, []),
    tell: (finding, reason) => tellOf({ event, place, queue })('blocked', { ...finding, reason }),
    settle: (wanted) => settleHere(wanted, { event, guarded, place }),
  }
}

/** Folders whose files no call may write through a hard link. The cache is left out: its content is hashed before use. */
function linkedFolders({ installation, kept, cache }: HookPlace): string[] {
  return [...installation, ...kept].filter((path) => !path.endsWith('*') && path !== resolve(cache))
}

/** Variables that decide where pml stores the user's decisions. */
const placeVariables = [
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
  'PML_MCP_PATH',
  'PML_CACHE_DIR',
]

function variablesIn({ env }: HookPlace): Record<string, string> {
  return Object.fromEntries(placeVariables.map((name) => [name, env[name] ?? '']))
}

/** Ignores a delivery failure: it must not change the decision. */
function leaveWaiting(): void {}

/** Reads the policies. Adds messages for the agent to `notes`. */
async function readPolicies(event: HookEvent, place: HookPlace, notes: string[]): Promise<Guarded[]> {
  try {
    return readGuarded({ ...place, folders: [event.cwd, ...place.folders] })
  } catch (error) {
    if (!(error instanceof UnreadablePolicy)) throw error
    const root = dirname(dirname(error.source.file))
    const note = await putPolicyBack(root, { place, keeper: keeperOf(place) })
    if (note !== undefined && notes.push(note) <= MOST_POLICIES) return readPolicies(event, place, notes)
    const { explainProblems } = await import('@pml/hooks/explain-problems')
    throw explainProblems(error.cause, error.source)
  }
}

interface Here {
  readonly guarded: readonly Guarded[]
  readonly world: World
  readonly place: HookPlace
}

/** Decides about a call. Loads the shell parser and the server checks only for calls that need them. */
async function decideHere(event: HookEvent, { guarded, world, place }: Here): Promise<Decision> {
  const { call, cwd } = event
  const command = findCommand(call)
  const reader = command === undefined ? undefined : await import('@pml/hooks/shell')
  const refusals = call?.kind === 'mcp' ? await refusalsOf(event, { guarded, world, place }) : []
  return underDeadline(() => {
    const read =
      call?.kind === 'shell' && call.dialect === 'powershell' ? reader?.readPowerShell : reader?.readCommand
    const shell =
      command !== undefined
        ? read?.(command, { cwd, home: place.home, variables: variablesIn(place) })
        : undefined
    return decide(event, { guarded, world, shell, refusals })
  }, DECISION_MS)
}

async function refusalsOf(event: HookEvent, { guarded, place }: Here): Promise<Finding[]> {
  const { findRefusals } = await import('./find-refusals.ts')
  return findRefusals(event, { guarded, place })
}

interface CarryingOut {
  readonly event: HookEvent
  readonly guarded: readonly Guarded[]
  readonly place: HookPlace
  readonly queue: EventQueue
}

interface Carried {
  readonly outcome: Outcome
  /** Writes that pass because they were approved, so that the check after the call accepts them. */
  readonly approved: readonly Approved[]
}

async function carryOut(decision: Decision, { event, guarded, place, queue }: CarryingOut): Promise<Carried> {
  const tell = tellOf({ event, place, queue })
  const only = (outcome: Outcome): Carried => ({ outcome, approved: [] })
  switch (decision.verdict) {
    case 'pass':
      return only({ kind: 'pass' })
    case 'ask':
      return only({ kind: 'ask', text: printBlock(decision) })
    case 'block': {
      for (const finding of decision.findings) tell(actionOf(finding), finding)
      const saved = keep(place, event)
      return only({
        kind: 'block',
        text: printBlock({ ...decision, ...(saved === undefined ? {} : { saved }) }),
      })
    }
    case 'approval': {
      const { wanted } = decision
      const settled = await settleHere(wanted, { event, guarded, place })
      if (settled.kind === 'unreachable')
        for (const { findings } of wanted)
          for (const finding of findings) tell(settled.isAllowed ? 'unreachable' : 'blocked', finding)
      const isAllowed = settled.kind === 'approved' || (settled.kind === 'unreachable' && settled.isAllowed)
      if (!isAllowed) return only({ kind: 'block', text: settled.text })
      return { outcome: { kind: 'pass' }, approved: wanted }
    }
    default:
      throw new Error('unreachable: every verdict was named')
  }
}

function tellOf({ event, place, queue }: Pick<CarryingOut, 'event' | 'place' | 'queue'>) {
  return (action: EnforcementEvent['action'], finding: Finding): void => {
    const at = new Date(place.now()).toISOString()
    if (place.link)
      queue.add({ id: crypto.randomUUID(), ...enforcementOf(askerIn(event), { action, finding, at }) })
  }
}

function settleHere(
  wanted: readonly [WantedApproval, ...WantedApproval[]],
  { event, guarded, place }: Pick<CarryingOut, 'event' | 'guarded' | 'place'>,
): Promise<Settled> {
  return settleApproval({
    event,
    wanted,
    link: place.link,
    onUnreachable: guarded.every(({ policy }) => policy.onUnreachable === 'allow') ? 'allow' : 'deny',
    projectOf: (root) => projectOf(root, place.state),
    save: (content) => saveContent(content, keeperOf(place)),
  })
}

/** Saves the content of a blocked write, so that it need not be written again. */
function keep(place: HookPlace, { call }: HookEvent): string | undefined {
  if (call?.kind !== 'write') return undefined
  return saveContent(call, keeperOf(place))
}

function keeperOf({ cache, now, pid }: HookPlace): Keeper {
  return { folder: join(cache, 'hooks', 'blocked'), now: now(), pid }
}

function actionOf({ isCorrection, rule }: Finding): EnforcementEvent['action'] {
  if (isCorrection) return 'corrected'
  return rule.startsWith('MCP_') ? 'refused' : 'blocked'
}
