import { relative, sep } from 'node:path'
import type { HookEvent } from './event.ts'
import type { Judgement } from './judge-rule.ts'
import { printActions } from './operations/action-templates.ts'
import { suggestAction } from './operations/suggest-action.ts'
import { validateSpawnWorker } from './operations/validate-spawn-worker.ts'
import type { Effect, OnUnapproved, Operation, Rule } from './policy/policy.ts'
import type { RuleSubject } from './subject.ts'
import { textOf, type Write } from './writes/write.ts'

/** An objection of a rule to a call. */
export interface Finding {
  /** The id of the rule. */
  readonly rule: string
  /** The file, the command or the server that it is about. */
  readonly subject: string
  /** "Cannot write a.js: …", as a sentence. */
  readonly reason: string
  readonly suggestion: string
  /** What to do, for an agent: one line. */
  readonly action: string
  /** The message says which call to make instead. */
  readonly isCorrection: boolean
  readonly effect: FindingEffect
  /** The rule's answer to changes that were already made. */
  readonly onUnapproved?: OnUnapproved
}

type FindingEffect =
  | { readonly kind: 'block' }
  | { readonly kind: 'ask' }
  | {
      readonly kind: 'approval'
      readonly specialist: string
      /** The folder of the workspace that the path is from. */
      readonly root: string
      readonly path: string
      readonly content: string
    }

interface Found {
  readonly rule: Rule
  readonly judgement: Exclude<Judgement, { kind: 'no' }>
  readonly subject: RuleSubject
  readonly event: HookEvent
  readonly root: string
  readonly isAsked: boolean
}

const LONGEST_SUBJECT = 200

export function findingOf(found: Found): Finding {
  const { rule, judgement, subject } = found
  const operations = judgement.kind === 'match' ? judgement.operations : []
  const name = nameOf(found)
  const why = judgement.kind === 'unknown' ? ` (${judgement.why}, so it counts as such)` : ''
  return {
    rule: rule.id,
    subject: name,
    reason: `Cannot ${doing(found)} ${name}: ${reasonOf(rule, operations)}${why}`,
    suggestion: rule.suggestion,
    action: actionOf(found, operations),
    isCorrection: subject.kind === 'spawn',
    effect: effectOf(found),
    onUnapproved: rule.onUnapproved,
  }
}

function reasonOf({ effect, reason }: Rule, operations: readonly Operation[]): string {
  if (effect.kind !== 'mcp' || operations.length === 0) return reason
  return operations
    .map(
      (operation) => `${operation.label} require spawn_worker with the "${serverFor(operation, effect)}" MCP`,
    )
    .join('; ')
}

function doing({ subject }: Found): string {
  if (subject.kind === 'write') return subject.write.after.kind === 'deleted' ? 'delete' : 'write'
  return { shell: 'run', mcp: 'call', spawn: 'start a worker for' }[subject.kind]
}

function nameOf({ subject, event, root }: Found): string {
  const { call } = event
  if (subject.kind === 'write') return fileName(subject.write, root)
  if (subject.kind === 'spawn') return JSON.stringify(subject.work.task.slice(0, LONGEST_SUBJECT))
  return call?.kind === 'shell' ? oneLine(call.command) : (call?.tool ?? '')
}

/** Relative to the workspace root if below it, with links resolved. */
function fileName({ paths, written }: Write, root: string): string {
  const real = paths.at(-1)
  if (real === undefined) return oneLine(written)
  const below = relative(root, real)
  return (below === '' || below.startsWith('..') ? real : below).replaceAll(sep, '/')
}

function actionOf(found: Found, operations: readonly Operation[]): string {
  const { rule, subject, event } = found
  if (subject.kind === 'spawn') {
    const { servers } = validateSpawnWorker(operations, subject.work)
    return printActions([{ type: 'spawn_worker', task: subject.work.task, servers }])
  }
  if (rule.effect.kind === 'approval')
    return `ask ${rule.effect.specialist} to review it, then make exactly the same change again`
  if (operations.length === 0) return oneLine(rule.suggestion)
  const text = subject.kind === 'write' ? (textOf(subject.write) ?? '') : JSON.stringify(event.call)
  const actions = operations.map((operation) =>
    suggestAction({ ...operation, server: serverFor(operation, rule.effect) }, text),
  )
  return printActions(actions)
}

/** A rule may name a server other than the operation's. */
function serverFor({ server }: Operation, effect: Effect): string {
  return (effect.kind === 'mcp' ? effect.server : undefined) ?? server
}

function effectOf(found: Found): FindingEffect {
  const { rule, subject, isAsked } = found
  if (isAsked) return { kind: 'ask' }
  if (rule.effect.kind !== 'approval') return { kind: 'block' }
  const path = subject.kind === 'write' ? nameOf(found) : `(${subject.kind})`
  return {
    kind: 'approval',
    specialist: rule.effect.specialist,
    root: found.root,
    path,
    content: contentOf(found),
  }
}

/** What is approved: the file's future content or, if unknown, the call that writes it. */
function contentOf({ subject, event }: Found): string {
  const write = subject.kind === 'write' ? subject.write : undefined
  const text = write && textOf(write)
  if (text !== undefined && write?.isExact) return text
  const { call } = event
  if (call?.kind === 'shell') return call.command
  if (write?.after.kind === 'deleted' || write?.after.kind === 'moved') return `(${write.after.kind})`
  return JSON.stringify(call)
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT)}…` : line
}
