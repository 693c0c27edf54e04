import { agentOf } from './agents/find-agent.ts'
import { relative, sep } from 'node:path'
import { PmlError } from '@pml/core/errors'
import { plainPath, type PlainPath } from '@pml/core/path-glob'
import type { HookEvent } from './event.ts'
import { findingOf, type Finding } from './finding.ts'
import { judgeRule, type Judgement, type RuleContext } from './judge-rule.ts'
import { judgeOwn } from './own-command/judge-own.ts'
import type { Policy, PolicyPath, Rule } from './policy/policy.ts'
import type { ShellFacts } from './shell/words/facts.ts'
import { subjectsOf, type RuleSubject } from './subject.ts'
import type { World } from './world.ts'
import type { Write } from './writes/write.ts'

/** A folder and its policy. */
export interface Guarded {
  readonly root: string
  readonly policy: Policy
}

interface Facts {
  /** The policies of all folders that contain the call; each may refuse it. */
  readonly guarded: readonly Guarded[]
  readonly world: World
  /** What the command does; always set for shell calls. */
  readonly shell: ShellFacts | undefined
  /** Objections of the lockfile to an MCP call. */
  readonly refusals: readonly Finding[]
}

export type Decision =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'block' | 'ask'; readonly findings: readonly [Finding, ...Finding[]] }
  | { readonly verdict: 'approval'; readonly wanted: readonly [WantedApproval, ...WantedApproval[]] }

/** The content of one file that needs approval. */
export interface WantedApproval {
  /** The folder of the workspace that the path is from. */
  readonly root: string
  readonly path: string
  readonly content: string
  readonly findings: readonly [Finding, ...Finding[]]
}

/** Block beats approval beats ask; calls that no rule covers pass. Pure and synchronous. */
export function decide(event: HookEvent, { guarded, world, shell, refusals }: Facts): Decision {
  // Unread parts would pass every rule about files.
  if (shell && !shell.isWhole)
    throw new PmlError(
      'too_large',
      'Cannot judge the command: it does too much to be read as a whole; run it in parts',
    )
  const subjects = subjectsOf(event, world, shell)
  return verdictOf([
    ...refusals,
    ...typedSessions(event, shell),
    ...judgeOwn(event, { world, shell }),
    ...guarded.flatMap((one) => findIn(one, { event, subjects, world })),
  ])
}

/** Judges files that are already written, by their real content before and after. */
export function decideWrites(
  event: HookEvent,
  writes: readonly Write[],
  { guarded, world }: Pick<Facts, 'guarded' | 'world'>,
): Decision {
  const subjects = writes.map((write) => ({ kind: 'write' as const, write }))
  return verdictOf(guarded.flatMap((one) => findIn(one, { event, subjects, world })))
}

function verdictOf(findings: readonly Finding[]): Decision {
  const [blocking, ...others] = findings.filter(({ effect }) => effect.kind === 'block')
  if (blocking) return { verdict: 'block', findings: [blocking, ...others] }
  const [wanted, ...more] = approvalsOf(findings)
  if (wanted) return { verdict: 'approval', wanted: [wanted, ...more] }
  const [asked, ...rest] = findings.filter(({ effect }) => effect.kind === 'ask')
  return asked ? { verdict: 'ask', findings: [asked, ...rest] } : { verdict: 'pass' }
}

/** Some agents keep a started program running and do not show hooks what the model types into it. */
function typedSessions({ agent, call }: HookEvent, shell: ShellFacts | undefined): Finding[] {
  if (!shell || call?.kind !== 'shell') return []
  const { title, hooks } = agentOf(agent)
  if (!hooks.hidesTyping) return []
  return shell.sessions.map((command) => ({
    rule: 'GUARD_TYPED_COMMANDS',
    subject: command,
    reason: `Cannot run ${JSON.stringify(command)}: it takes commands from its terminal, and ${title} does not show hooks what is typed there`,
    suggestion:
      "Run it in one go: bash -c '…', python3 -c '…', psql -c '…', ssh host '…', a script file, a pipe or a here-document.",
    action: 'run the commands in one go, where they can be checked',
    isCorrection: false,
    effect: { kind: 'block' },
  }))
}

interface Judging {
  readonly event: HookEvent
  readonly subjects: readonly RuleSubject[]
  readonly world: World
}

function findIn({ root, policy }: Guarded, { event, subjects, world }: Judging): Finding[] {
  const pathOf = pathsFrom(root)
  // A folder is in scope if its files are.
  const folders = [...new Set([event.cwd, world.realPath(event.cwd)])].map((folder) => pathOf(`${folder}/-`))
  return subjects.flatMap((subject) =>
    policy.rules
      .filter((rule) => speaksOf(rule, event, subject))
      .flatMap((rule) => {
        const judgements = folders.map((folder) =>
          judgeRule(rule, subject, { operations: policy.operations, folder, pathOf } satisfies RuleContext),
        )
        const judgement = judgements.find(({ kind }) => kind !== 'no')
        return judgement ? keepFinding({ rule, judgement, subject, event, root }) : []
      }),
  )
}

interface Judged {
  readonly rule: Rule
  readonly judgement: Judgement
  readonly subject: RuleSubject
  readonly event: HookEvent
  readonly root: string
}

/** The rule's `unknown` decides unclear cases; "ask" becomes a block where no person would be asked. */
function keepFinding({ rule, judgement, subject, event, root }: Judged): Finding[] {
  if (judgement.kind === 'no') return []
  const isUnknown = judgement.kind === 'unknown'
  if (isUnknown && rule.unknown === 'allow') return []
  const isAsked = isUnknown && rule.unknown === 'ask' && event.mayAsk
  return [findingOf({ rule, judgement, subject, event, root, isAsked })]
}

function speaksOf({ agents, tools }: Rule, { agent, call }: HookEvent, { kind }: RuleSubject): boolean {
  if (!agents.includes('*') && !agents.includes(agent)) return false
  return tools.some((tool) => tool === kind || fitsName(tool, call?.tool ?? ''))
}

/** `*` at the end stands for any rest. */
export function fitsName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

function approvalsOf(findings: readonly Finding[]): WantedApproval[] {
  const wanted = new Map<string, WantedApproval>()
  for (const finding of findings) {
    if (finding.effect.kind !== 'approval') continue
    const { root, path, content } = finding.effect
    const key = `${root}\0${path}\0${content}`
    const known = wanted.get(key)
    wanted.set(key, {
      root,
      path,
      content,
      findings: known ? [...known.findings, finding] : [finding],
    })
  }
  return [...wanted.values()]
}

/** All findings of the rules. */
export function findingsOf([first, ...rest]: readonly [WantedApproval, ...WantedApproval[]]): readonly [
  Finding,
  ...Finding[],
] {
  return [...first.findings, ...rest.flatMap(({ findings }) => findings)]
}

/** Cached: every rule checks the same few paths. */
function pathsFrom(root: string): (whole: string) => PolicyPath {
  const known = new Map<string, PolicyPath>()
  return (whole) => {
    const path = known.get(whole) ?? policyPath(whole, root)
    known.set(whole, path)
    return path
  }
}

function policyPath(whole: string, root: string): PolicyPath {
  // On case-insensitive file systems a path matches in any case.
  const isThere =
    whole[root.length] === sep && whole.slice(0, root.length).toLowerCase() === root.toLowerCase()
  const below = isThere ? whole.slice(root.length + 1) : relative(root, whole)
  const isBelow = below !== '' && !/^(?:\.\.(?:[/\\]|$)|[/\\]|[A-Za-z]:)/.test(below)
  return { whole: plainOf(whole), relative: isBelow ? plainOf(below) : undefined }
}

/** Some file systems write letters with accents as two characters. */
function plainOf(path: string): PlainPath {
  return plainPath(path.normalize('NFC'))
}
