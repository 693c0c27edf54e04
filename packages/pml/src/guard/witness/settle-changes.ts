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
  /** Open calls, which may have made the changes. */
  readonly open: readonly OpenCall[]
  /** Reports a finding to the audit log. */
  tell(finding: Finding, reason: string): void
  settle(wanted: readonly [WantedApproval, ...WantedApproval[]]): Promise<Settled>
}

/** The moment of the survey, which decides how changes are judged and what is remembered. */
export type Purpose =
  | { readonly kind: 'start' }
  | { readonly kind: 'before'; readonly allowed: readonly Allowed[] }
  /** `wasLookedAt`: notes from before the call must exist. */
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

/** Judges each change, and restores or holds what breaks a rule. */
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

/** Judges an installed pml as a whole: a mix of two versions would not work, so nothing is restored. */
export function settlePml(folder: string, { witnessing, notes, changes }: Settling): SettledChanges {
  const { place, tell } = witnessing
  const held = changes.filter(({ path, after }) => !isOwnWrite(place.state, path, after?.hash ?? ''))
  const settled = { undone: [], held, broken: [], isPolicyBack: false }
  const [first] = held
  if (!first) return { ...settled, texts: [] }
  const count = held.length === 1 ? first.path : `${held.length} files, such as ${first.path}`
  const reason = `Cannot trust pml in ${folder}: it has changed (${count})`
  if (held.some(({ path, after }) => notes.broken[path] !== (after?.hash ?? '')))
    tell(guardFinding(folder, reason), `Held: ${reason}`)
  const text = [
    'BLOCKED::GUARD_CHANGED',
    'ACTION::tell the person that pml itself changed',
    '',
    `${reason}.`,
    'Every write is refused until the person who installed it runs "pml hooks accept" or it is restored.',
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
  // Changes while no agent was running are the person's; only changes of guard files are reported.
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
      ? 'The call changed this file, so it was restored. What the call wrote is saved.'
      : 'The call created this file, so it was removed. What the call wrote is saved.',
  ]
}

/** When a held file was changed: by this call, between two calls, or earlier. */
type Since = 'call' | 'between' | 'before'

const heldSince: Readonly<Record<Since, string>> = {
  call: 'The call changed this file. Every further write is refused until the change is approved or undone.',
  between:
    'This file changed between two calls. Every write is refused until a person runs "pml hooks accept" or the change is undone.',
  before:
    'This file is still held. Every write is refused until the change is approved, a person runs "pml hooks accept", or it is undone.',
}

function heldNotes(
  { path, before }: Change,
  { kept, keeper, since }: { kept: KeptFiles; keeper: Keeper; since: Since },
): string[] {
  const bytes = before && kept.read(before)
  const old = bytes && saveContent({ path, content: bytes }, keeper)
  return [
    heldSince[since],
    ...(old === undefined ? [] : [`Its old content is in ${old}: write exactly that to undo the change.`]),
    ...(before ? [] : ['It is a new file: remove it to undo the change.']),
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
