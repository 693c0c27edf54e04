import { join } from 'node:path'
import { PmlError } from '@pml/core/errors'
import {
  askerIn,
  decide,
  enforcementOf,
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
  type World,
} from '@pml/hooks'
import { findAdapter } from '@pml/hooks/agents'
import { underDeadline } from './deadline.ts'
import { openEventQueue, type EventQueue } from './event-queue.ts'
import { localWorld } from './local-world.ts'
import { readGuarded, UnreadablePolicy } from './read-guarded.ts'
import type { RegistryLink } from './registry-link.ts'
import { saveContent, type Keeper } from './save-content.ts'
import { settleApproval } from './settle-approval.ts'

/** What a hook knows of the place that it runs in. */
export interface HookPlace {
  readonly home: string
  /** The variables of the agent that started it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where an administrator keeps settings of Claude Code. */
  readonly managed: string
  /** The one that the process was started in, then those that the environment speaks of. */
  readonly folders: readonly string[]
  readonly defaults: string
  /** Where this pml is. */
  readonly installation: readonly string[]
  /** What it takes for its user's word: folders, and with `/*` at the end the `.json` files of one. */
  readonly kept: readonly string[]
  /** The Node that runs it. */
  readonly execPath: string
  /** Where this user's caches are; what is kept is there: contents that were not written, events that wait. */
  readonly cache: string
  readonly link: RegistryLink | undefined
  /** Of the process. */
  readonly pid: number
  now(): number
}

const DECISION_MS = 5000

/** One event of an agent, and what it is answered. Whatever goes wrong in here is for the caller to deny. */
export async function runHook(agent: string, input: string, place: HookPlace): Promise<Reply> {
  const adapter = findAdapter(agent)
  if (!adapter)
    throw new PmlError('bad_request', `Cannot answer: there is no agent called '${agent.slice(0, 40)}'`)
  const event = adapter.parse(parseInput(input), place.folders[0])
  const outcome = await outcomeOf(event, place)
  return adapter.reply(event, outcome)
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
  const guarded = await readPolicies(event, place)
  if (event.moment !== 'before-tool') {
    const { watchConfiguration } = await import('./watch-configuration.ts')
    return watchConfiguration(event, { guarded, place })
  }
  const world = localWorld(place.home)
  const decision = await decideHere(event, { guarded, world, place })
  const outcome = await carryOut(decision, { event, guarded, place, queue })
  if (place.link && queue.count().waiting > 0) await queue.deliver(place.link, place.now).catch(leaveWaiting)
  return outcome
}

/** Those that say where pml keeps what it takes for its user's word. */
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

/** The decision was made: events that cannot be taken out of the queue must not undo it. */
function leaveWaiting(): void {}

async function readPolicies({ cwd }: HookEvent, place: HookPlace): Promise<Guarded[]> {
  try {
    return readGuarded({ ...place, folders: [cwd, ...place.folders] })
  } catch (error) {
    if (!(error instanceof UnreadablePolicy)) throw error
    const { explainProblems } = await import('@pml/hooks/explain-problems')
    throw explainProblems(error.cause, error.source)
  }
}

interface Here {
  readonly guarded: readonly Guarded[]
  readonly world: World
  readonly place: HookPlace
}

/** What only some calls need is loaded for those. */
async function decideHere(event: HookEvent, { guarded, world, place }: Here): Promise<Decision> {
  const { call, cwd } = event
  const reader = call?.kind === 'shell' ? await import('@pml/hooks/shell') : undefined
  const refusals = call?.kind === 'mcp' ? await refusalsOf(event, { guarded, world, place }) : []
  return underDeadline(() => {
    const read =
      call?.kind === 'shell' && call.dialect === 'powershell' ? reader?.readPowerShell : reader?.readCommand
    const shell =
      call?.kind === 'shell'
        ? read?.(call.command, { cwd, home: place.home, variables: variablesIn(place) })
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

async function carryOut(decision: Decision, { event, guarded, place, queue }: CarryingOut): Promise<Outcome> {
  const now = () => new Date(place.now()).toISOString()
  const tell = (action: EnforcementEvent['action'], finding: Finding) =>
    place.link &&
    queue.add({ id: crypto.randomUUID(), ...enforcementOf(askerIn(event), { action, finding, at: now() }) })
  switch (decision.verdict) {
    case 'pass':
      return { kind: 'pass' }
    case 'ask':
      return { kind: 'ask', text: printBlock(decision) }
    case 'block': {
      for (const finding of decision.findings) tell(actionOf(finding), finding)
      const saved = keep(place, event)
      return { kind: 'block', text: printBlock({ ...decision, ...(saved === undefined ? {} : { saved }) }) }
    }
    case 'approval': {
      const settled = await settleApproval({
        event,
        wanted: decision.wanted,
        link: place.link,
        onUnreachable: guarded.every(({ policy }) => policy.onUnreachable === 'allow') ? 'allow' : 'deny',
        save: (content) => saveContent(content, keeperOf(place)),
      })
      if (settled.kind === 'approved') return { kind: 'pass' }
      if (settled.kind === 'unheard')
        for (const { findings } of decision.wanted)
          for (const finding of findings) tell(settled.isAllowed ? 'unreachable' : 'blocked', finding)
      if (settled.kind === 'unheard' && settled.isAllowed) return { kind: 'pass' }
      return { kind: 'block', text: settled.text }
    }
    default:
      throw new Error('unreachable: every verdict was named')
  }
}

/** What a call would have written stays readable: nobody has to write it a second time. */
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
