import { PmlError } from '@pml/core'
import type { Checked, Spent } from '@pml/core/schemas'
import { printBlock, type Finding, type HookEvent, type Outcome, type WantedApproval } from '@pml/hooks'
import { blockChange } from '../approvals/block-change.ts'
import { checkApproval } from '../approvals/check-approval.ts'
import { showChange } from '../approvals/show-change.ts'
import { spendApproval } from '../approvals/spend-approval.ts'
import type { Actor } from '../keys/actor.ts'
import type { Hooks } from './hooks.ts'
import { cut, tellFindings } from './tell-findings.ts'

type Wanted = readonly [WantedApproval, ...WantedApproval[]]

interface Seeking {
  readonly event: HookEvent
  readonly wanted: Wanted
}

const LONGEST_NAME = 200

/** Lets a call pass whose every content is approved, and uses the approvals up; none is used where one is missing. */
export async function seekApproval(hooks: Hooks, actor: Actor, { event, wanted }: Seeking): Promise<Outcome> {
  const checks = await Promise.all(
    wanted.map(async (one) => ({ one, checked: await checkApproval(hooks.approvals, actor, one) })),
  )
  const [missing, ...more] = checks.filter(({ checked }) => !checked.approved)
  if (missing) return holdBack(hooks, actor, { event, missing: [missing, ...more] })
  return spendAll(hooks, actor, { event, wanted })
}

/** Somebody may have been faster, or the approval is of a kind that this key may not use: then it is a no. */
async function spendAll(hooks: Hooks, actor: Actor, { event, wanted }: Seeking): Promise<Outcome> {
  const findings = findingsOf(wanted)
  const spent: Spent[] = []
  for (const { path, content } of wanted) {
    const wish = { path, content, ...askerOf(event) }
    const used = await spendApproval(hooks.approvals, actor, wish).catch(refusalIn)
    if (used instanceof PmlError) return block(hooks, actor, { event, findings, notes: [`${used.message}.`] })
    spent.push(used)
  }
  const reason = spent.map(printSpent).join('; ')
  await tellFindings(hooks, actor, { event, findings, action: 'allowed', reason })
  return { kind: 'pass' }
}

function refusalIn(error: unknown): PmlError {
  if (error instanceof PmlError) return error
  throw error
}

function printSpent({ specialist, changeId, pattern }: Spent): string {
  return `Approved by ${specialist ?? 'nobody known'} (${changeId ?? pattern ?? ''})`
}

interface Missing {
  readonly one: WantedApproval
  readonly checked: Checked
}

/** What nobody has decided about waits at the registry from now on. */
async function holdBack(
  hooks: Hooks,
  actor: Actor,
  { event, missing }: { event: HookEvent; missing: readonly [Missing, ...Missing[]] },
): Promise<Outcome> {
  const steps: Step[] = []
  for (const each of missing) steps.push(await nextStep(hooks, actor, { event, ...each }))
  const [first, ...rest] = missing.map(({ one }) => one)
  if (!first) throw new Error('unreachable: something is missing')
  return block(hooks, actor, {
    event,
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
  { event, one, checked }: Missing & { event: HookEvent },
): Promise<Step> {
  if (checked.pattern !== null)
    return { action: `write ${one.path} otherwise: no approval helps`, notes: [`${checked.message}.`] }
  if (checked.status === 'rejected' && checked.changeId !== null) {
    const { reason, education, suggestion } = await showChange(approvals, actor, checked.changeId)
    const taught = [education, suggestion].filter((text) => text !== null)
    return {
      action: `write ${one.path} otherwise: a reviewer rejected this content`,
      notes: [`It was rejected: ${reason ?? 'without a reason'}.`, ...taught],
    }
  }
  const tool = cut(event.call?.tool ?? '', LONGEST_NAME)
  const { path, content } = one
  const { id } = await blockChange(approvals, actor, { tool, path, content, ...askerOf(event) })
  return {
    action: `ask ${specialistOf(one)} to review change ${id}, then make exactly the same change again`,
    notes: [`Change ${id} waits for a decision at the registry.`],
  }
}

function specialistOf({ findings }: WantedApproval): string {
  const [{ then }] = findings
  return then.kind === 'approval' ? then.specialist : 'a specialist'
}

function askerOf({ agent, session }: HookEvent): { agent: string; session?: string } {
  return { agent, ...(session !== undefined && { session: cut(session, LONGEST_NAME) }) }
}

function findingsOf([first, ...rest]: Wanted): readonly [Finding, ...Finding[]] {
  return [...first.findings, ...rest.flatMap(({ findings }) => findings)]
}

interface HeldBack {
  readonly event: HookEvent
  readonly findings: readonly [Finding, ...Finding[]]
  readonly action?: string
  readonly notes: readonly string[]
}

async function block(hooks: Hooks, actor: Actor, { event, ...blocked }: HeldBack): Promise<Outcome> {
  await tellFindings(hooks, actor, { event, findings: blocked.findings, action: 'blocked' })
  return { kind: 'block', text: printBlock(blocked) }
}
