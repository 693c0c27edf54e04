import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { PmlError } from '@pml/core'
import type { Checked, Spent, WantedApprovals } from '@pml/core/schemas'
import {
  askerIn,
  askerOf,
  findingsOf,
  type Asker,
  type Finding,
  type HookEvent,
  type WantedApproval,
} from '@pml/hooks'
import { blockChange } from '../changes/block-change.ts'
import { checkApproval } from '../changes/check-approval.ts'
import { showChange } from '../changes/show-change.ts'
import { findAndSpend, spendTogether } from '../changes/spend-approval.ts'
import type { Actor } from '../keys/actor.ts'
import type { Hooks } from './hooks.ts'
import { eventsOf, recordFindings } from './record-findings.ts'

/** Content for a file of a project. */
type WantedInProject = WantedApproval & { readonly project: string }
type Wanted = readonly [WantedInProject, ...WantedInProject[]]

interface Seeking {
  readonly asker: Asker
  readonly wanted: Wanted
}

/** The outcome: approved, or the next step and notes for the agent. */
type Sought =
  | { readonly approved: true }
  | { readonly approved: false; readonly action: string; readonly notes: readonly string[] }

/** Converts a request of `pml hook`, which decided by its own machine's policy. */
export function seekingOf({ agent, session, tool, wanted }: WantedApprovals): Seeking {
  const [first, ...rest] = wanted.map(wantedOf)
  if (!first) throw new Error('unreachable: the schema wants at least one')
  return { asker: askerOf({ agent, session, tool }), wanted: [first, ...rest] }
}

/** Converts an event that the registry judged itself; it names only the agent's working folder. */
export function seekingIn(event: HookEvent, wanted: readonly [WantedApproval, ...WantedApproval[]]): Seeking {
  const project = `${basename(event.cwd)} #${createHash('sha256').update(event.cwd).digest('hex').slice(0, 32)}`
  const [first, ...rest] = wanted
  const inProject = (one: WantedApproval) => ({ ...one, project: project.slice(-MOST_CHARACTERS) })
  return { asker: askerIn(event), wanted: [inProject(first), ...rest.map(inProject)] }
}

/** Characters have at most four bytes, so the result fits the limit of a project name. */
const MOST_CHARACTERS = 100

function wantedOf({
  path,
  project = '',
  content,
  rule,
  specialist,
  reason,
}: WantedApprovals['wanted'][number]): WantedInProject {
  const finding: Finding = {
    rule,
    subject: path,
    reason,
    suggestion: '',
    action: '',
    isCorrection: false,
    effect: { kind: 'approval', specialist, root: '', path, content },
  }
  return { root: '', path, project, content, findings: [finding] }
}

/** Allows a call if all its contents are approved, and uses up the approvals. If one is missing, none is used. */
export async function seekApproval(hooks: Hooks, actor: Actor, { asker, wanted }: Seeking): Promise<Sought> {
  // A single content needs no check first, because there is nothing else to keep unspent.
  if (wanted.length === 1 && (await spendOnly(hooks, actor, { asker, wanted }))) return { approved: true }
  const checks = await Promise.all(
    wanted.map(async (one) => ({ one, checked: await checkApproval(hooks.approvals, actor, one) })),
  )
  const [missing, ...more] = checks.filter(({ checked }) => !checked.approved)
  if (missing) return holdBack(hooks, actor, { asker, missing: [missing, ...more] })
  return spendAll(hooks, actor, { asker, wanted })
}

/** Uses up the approval of a single content and writes its audit events in one statement. */
async function spendOnly(hooks: Hooks, actor: Actor, { asker, wanted }: Seeking): Promise<boolean> {
  const events = eventsOf(hooks, { asker, findings: findingsOf(wanted), action: 'allowed' })
  const spent = await findAndSpend(hooks.approvals, actor, { ...requestOf(wanted[0], asker), events })
  return spent !== undefined
}

/** Uses up all approvals, or blocks the call and uses none if one is already used or was given by this key. */
async function spendAll(hooks: Hooks, actor: Actor, { asker, wanted }: Seeking): Promise<Sought> {
  const requests = wanted.map((one) => requestOf(one, asker))
  const spent = await spendTogether(hooks.approvals, actor, requests).catch(refusalIn)
  if (!(spent instanceof PmlError)) return allow(hooks, actor, { asker, wanted, spent })
  return block(hooks, actor, {
    asker,
    findings: findingsOf(wanted),
    action: 'have it approved by somebody else, then make exactly the same change again',
    notes: [`${spent.message}.`],
  })
}

async function allow(
  hooks: Hooks,
  actor: Actor,
  { asker, wanted, spent }: Seeking & { readonly spent: readonly Spent[] },
): Promise<Sought> {
  const reason = spent.map(printSpent).join('; ')
  await recordFindings(hooks, actor, { asker, findings: findingsOf(wanted), action: 'allowed', reason })
  return { approved: true }
}

function requestOf({ path, project, content }: WantedInProject, asker: Asker) {
  return { path, project, content, ...nameOf(asker) }
}

function refusalIn(error: unknown): PmlError {
  if (error instanceof PmlError) return error
  throw error
}

function printSpent({ specialist, changeId, pattern }: Spent): string {
  return `Approved by ${specialist ?? 'unknown'} (${changeId ?? pattern ?? ''})`
}

interface Missing {
  readonly one: WantedInProject
  readonly checked: Checked
}

/** Stores the unapproved contents as changes for review, and blocks the call. */
async function holdBack(
  hooks: Hooks,
  actor: Actor,
  { asker, missing }: { asker: Asker; missing: readonly [Missing, ...Missing[]] },
): Promise<Sought> {
  const steps: Step[] = []
  for (const each of missing) steps.push(await nextStep(hooks, actor, { asker, ...each }))
  const [first, ...rest] = missing.map(({ one }) => one)
  if (!first) throw new Error('unreachable: something is missing')
  return block(hooks, actor, {
    asker,
    findings: findingsOf([first, ...rest]),
    action: steps.map(({ action }) => action).join('; '),
    notes: steps.flatMap(({ notes }) => notes),
  })
}

interface Step {
  readonly action: string
  readonly notes: readonly string[]
}

async function nextStep(
  { approvals }: Hooks,
  actor: Actor,
  { asker, one, checked }: Missing & { asker: Asker },
): Promise<Step> {
  if (checked.pattern !== null)
    return {
      action: `change what you write to ${one.path}: no approval can allow this content`,
      notes: [`${checked.message}.`],
    }
  if (checked.status === 'rejected' && checked.changeId !== null) {
    const { reason, education, suggestion } = await showChange(approvals, actor, checked.changeId)
    const taught = [education, suggestion].filter((text) => text !== null)
    return {
      action: `change what you write to ${one.path}: a reviewer rejected this content`,
      notes: [`It was rejected: ${reason ?? 'no reason given'}.`, ...taught],
    }
  }
  const request = { tool: asker.tool, ...requestOf(one, asker) }
  const { id } = await blockChange(approvals, actor, request)
  return {
    action: `ask ${specialistOf(one)} to review change ${id}, then make exactly the same change again`,
    notes: [`Change ${id} is waiting for a review in the registry.`],
  }
}

function specialistOf({ findings }: WantedApproval): string {
  const [{ effect }] = findings
  return effect.kind === 'approval' ? effect.specialist : 'a specialist'
}

function nameOf({ agent, session }: Asker): { agent: string; session?: string } {
  return { agent, ...(session !== undefined && { session }) }
}

interface HeldBack {
  readonly asker: Asker
  readonly findings: readonly [Finding, ...Finding[]]
  readonly action: string
  readonly notes: readonly string[]
}

async function block(
  hooks: Hooks,
  actor: Actor,
  { asker, findings, action, notes }: HeldBack,
): Promise<Sought> {
  await recordFindings(hooks, actor, { asker, findings, action: 'blocked' })
  return { approved: false, action, notes }
}
