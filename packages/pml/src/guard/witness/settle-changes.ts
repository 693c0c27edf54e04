import {
  findingsOf,
  printBlock,
  type Decision,
  type Finding,
  type Guarded,
  type HookEvent,
  type WantedApproval,
  type World,
} from '@pml/hooks'
import { join } from 'node:path'
import { isOwnWrite } from '../../machine/files/own-writes.ts'
import { underDeadline } from '../world/deadline.ts'
import type { HookPlace } from '../world/hook-place.ts'
import { saveContent, type Keeper } from '../world/save-content.ts'
import type { Settled } from '../world/settle-approval.ts'
import type { Change } from './find-changes.ts'
import { isOfAgent } from './is-of-agent.ts'
import { judgeChange } from './judge-change.ts'
import type { KeptFiles } from './kept-files.ts'
import type { Allowed, Notes } from './memory.ts'
import { putBack } from './put-back.ts'
import { sessionOf, type OpenCall } from './sessions.ts'

export interface Witnessing {
  readonly event: HookEvent
  readonly guarded: readonly Guarded[]
  readonly place: HookPlace
  readonly world: World
  readonly keeper: Keeper
  /** Calls that may have made the changes. */
  readonly open: readonly OpenCall[]
  /** For the audit. */
  tell(finding: Finding, reason: string): void
  settle(wanted: readonly [WantedApproval, ...WantedApproval[]]): Promise<Settled>
}

/** What the look is for: it tells what to make of a change, and what is remembered afterwards. */
export type Purpose =
  | { readonly kind: 'start' }
  | { readonly kind: 'before'; readonly allowed: readonly Allowed[] }
  /** `wasLookedAt`: there must be notes from before the call. */
  | { readonly kind: 'after'; readonly wasLookedAt: boolean }

export interface Broken {
  readonly path: string
  readonly before: string | undefined
}

const LOOK_MS = 5000

export interface SettledChanges {
  readonly texts: readonly string[]
  readonly undone: readonly Change[]
  readonly held: readonly Change[]
  readonly broken: readonly Broken[]
  readonly isPolicyBack: boolean
}

/** Each change is judged, and put back or held. */
export async function settleAll(settling: Settling): Promise<SettledChanges> {
  const [texts, undone, held]: [string[], Change[], Change[]] = [[], [], []]
  for (const change of policyFirst(settling.changes)) {
    const fate = await settleChange(change, settling)
    if (fate.kind === 'good') continue
    texts.push(fate.text)
    if (fate.kind === 'held') held.push(change)
    else undone.push(change)
    if (undone.some(isPolicy)) break
  }
  const broken = held.map(({ path, before }) => ({ path, before: before?.hash }))
  return { texts, undone, held, broken, isPolicyBack: undone.some(isPolicy) }
}

/** All of it or nothing: half of another version is worth nothing, and who installed it knows. */
export function settlePml(folder: string, { witnessing, notes, changes }: Settling): SettledChanges {
  const { place, tell } = witnessing
  const held = changes.filter(({ path, after }) => !isOwnWrite(place.state, path, after?.hash ?? ''))
  const settled = { undone: [], held, broken: [], isPolicyBack: false }
  const [first] = held
  if (!first) return { ...settled, texts: [] }
  const count = held.length === 1 ? first.path : `${held.length} files, such as ${first.path}`
  const reason = `Cannot trust pml in ${folder}: it is not what it was (${count})`
  if (held.some(({ path, after }) => notes.broken[path] !== (after?.hash ?? '')))
    tell(guardFinding(folder, reason), `Held: ${reason}`)
  const text = [
    'BLOCKED::GUARD_CHANGED',
    'ACTION::tell the person that pml itself changed',
    '',
    `${reason}.`,
    'Until a person who installed it says "pml hooks accept", or it is what it was, every write is refused.',
    '',
  ].join('\n')
  return { ...settled, texts: [text] }
}

function policyFirst(changes: readonly Change[]): Change[] {
  return [...changes.filter(isPolicy), ...changes.filter((change) => !isPolicy(change))]
}

export function isPolicy({ path }: Change): boolean {
  return path.endsWith(join('.pml', 'enforcement.json'))
}

interface Settling {
  readonly witnessing: Witnessing
  readonly purpose: Purpose
  readonly notes: Notes
  readonly kept: KeptFiles
  readonly changes: readonly Change[]
}

type Fate = { readonly kind: 'good' } | { readonly kind: 'undone' | 'held'; readonly text: string }

const good: Fate = { kind: 'good' }

async function settleChange(change: Change, settling: Settling): Promise<Fate> {
  const { witnessing, purpose, notes, kept, changes } = settling
  const { path, after } = change
  const isSame = ({ path: one, hash }: Allowed) => one === path && hash === after?.hash
  const isAllowed =
    notes.allowed.some((one) => isSame(one) || (one.path === path && one.hash === undefined)) ||
    (purpose.kind === 'before' && purpose.allowed.some(isSame))
  const { event, guarded, world, place, open } = witnessing
  const isOwn = isOwnWrite(place.state, path, after?.hash ?? '')
  if (isAllowed || isOwn || isOfAgent(change, { open, kept })) return good
  const decision = underDeadline(() => judgeChange(change, { event, guarded, world, kept, changes }), LOOK_MS)
  if (decision.verdict === 'pass') return good
  const isKnown = notes.broken[path] === (after?.hash ?? '')
  const isOfCall = open.length > 0 && !isKnown
  const [finding] = findingsIn(decision)
  const isFirst = !notes.sessions.includes(sessionOf(event))
  // What happened while no agent was at work is the person's; only what guards the agent is asked about.
  if (!isOfCall && !isKnown && isFirst && finding.onUnapproved === 'hold') return good
  return carryOut(change, { ...settling, decision, isOfCall, isKnown })
}

interface CarryingOut extends Settling {
  readonly decision: Exclude<Decision, { verdict: 'pass' }>
  readonly isOfCall: boolean
  readonly isKnown: boolean
}

async function carryOut(change: Change, carrying: CarryingOut): Promise<Fate> {
  const { decision, witnessing, isOfCall, isKnown, kept } = carrying
  const { tell, settle, keeper } = witnessing
  const findings = findingsIn(decision)
  const settled = decision.verdict === 'approval' ? await settle(decision.wanted) : undefined
  if (settled?.kind === 'approved' || (settled?.kind === 'unreachable' && settled.isAllowed)) return good
  const [finding] = findings
  const saved = saveAside(change, kept, keeper)
  const isUndone = isOfCall && finding.onUnapproved === 'restore' && putBack(change, kept)
  if (!isKnown) for (const one of findings) tell(one, `${isUndone ? 'Undone' : 'Held'}: ${one.reason}`)
  const notes = isUndone
    ? undoneNotes(change)
    : heldNotes(change, { kept, keeper, since: isOfCall ? 'call' : isKnown ? 'before' : 'between' })
  const block = { findings, ...(saved === undefined ? {} : { saved }), notes }
  return {
    kind: isUndone ? 'undone' : 'held',
    text:
      settled?.kind === 'blocked' || settled?.kind === 'unreachable'
        ? `${settled.text}${notes.join('\n')}\n`
        : printBlock(block),
  }
}

function undoneNotes({ before }: Change): string[] {
  return [
    before
      ? 'The call changed this file, so it was put back as it was before the call. What the call wrote is kept.'
      : 'The call made this file, so it was taken away again. What the call wrote is kept.',
  ]
}

/** When a file that is held was changed: by this call, between two calls, or at some time before. */
type Since = 'call' | 'between' | 'before'

const heldSince: Readonly<Record<Since, string>> = {
  call: 'The call changed this file. Until somebody approves that, or it is undone, every further write is refused.',
  between:
    'This file changed between two calls. Until a person says "pml hooks accept", or it is undone, every write is refused.',
  before:
    'This file is still held. Until it is approved, a person says "pml hooks accept", or it is undone, every write is refused.',
}

function heldNotes(
  { path, before }: Change,
  { kept, keeper, since }: { kept: KeptFiles; keeper: Keeper; since: Since },
): string[] {
  const bytes = before && kept.read(before)
  const old = bytes && saveContent({ path, content: bytes }, keeper)
  return [
    heldSince[since],
    ...(old === undefined
      ? []
      : [`What it held before is in ${old}: write exactly that to undo the change.`]),
    ...(before ? [] : ['It was not there before: remove it to undo the change.']),
  ]
}

function saveAside({ path, after }: Change, kept: KeptFiles, keeper: Keeper): string | undefined {
  const bytes = after && kept.read(after)
  return bytes && saveContent({ path, content: bytes }, keeper)
}

function findingsIn(decision: Exclude<Decision, { verdict: 'pass' }>): readonly [Finding, ...Finding[]] {
  return decision.verdict === 'approval' ? findingsOf(decision.wanted) : decision.findings
}

export function guardFinding(subject: string, reason: string): Finding {
  return {
    rule: 'GUARD_CHANGED',
    subject,
    reason,
    suggestion: '',
    action: '',
    isCorrection: false,
    effect: { kind: 'block' },
  }
}
