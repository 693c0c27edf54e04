import { detectOperation, detectOperations } from './operations/detect-operation.ts'
import { validateSpawnWorker } from './operations/validate-spawn-worker.ts'
import { codeOf } from './policy/code-of.ts'
import type { Expression, Match, Operation, PolicyPath, Rule } from './policy/policy.ts'
import type { ShellFacts } from './shell/words/facts.ts'
import type { RuleSubject } from './subject.ts'
import { checkTests } from './tests/check-tests.ts'
import { textOf, type Write } from './writes/write.ts'

export type Judgement =
  | { readonly kind: 'no' }
  | { readonly kind: 'match'; readonly operations: readonly Operation[] }
  | { readonly kind: 'unknown'; readonly why: string }

export interface RuleContext {
  readonly operations: readonly Operation[]
  /** The folder that the agent works in. */
  readonly folder: PolicyPath
  pathOf(whole: string): PolicyPath
}

const no: Judgement = { kind: 'no' }
const match = (operations: readonly Operation[] = []): Judgement => ({ kind: 'match', operations })
const unknown = (why: string): Judgement => ({ kind: 'unknown', why })

/** Whether the rule matches this subject, and its finding. Tools and agents are checked earlier. */
export function judgeRule(rule: Rule, subject: RuleSubject, context: RuleContext): Judgement {
  switch (subject.kind) {
    case 'write':
      return shouldBlockFileWrite(rule, subject.write, context)
    case 'shell':
      return judgeCommands(rule, subject.facts, context)
    case 'mcp':
      return rule.isInScope(context.folder)
        ? judgeText(rule.match, JSON.stringify(subject.args), context)
        : no
    case 'spawn':
      return rule.isInScope(context.folder) ? judgeSpawn(rule.match, subject.work, context) : no
    default:
      throw new Error('unreachable: every subject was named')
  }
}

/** Whether the rule holds back the write, judged by path and future content. */
function shouldBlockFileWrite(rule: Rule, write: Write, context: RuleContext): Judgement {
  const { paths, after } = write
  if (paths.length === 0) {
    // Only the folder says where an unknown path may lead.
    if (!rule.isInScope(context.folder)) return no
    return unknown(`where ${write.written} leads cannot be known`)
  }
  const isGone = after.kind === 'deleted' || after.kind === 'moved'
  const inScope = paths.filter((path) => rule.isInScope(context.pathOf(path)))
  // Everything in a folder moves with it.
  if (!rule.match && isGone && paths.some((path) => rule.isInScope(context.pathOf(`${path}/-`))))
    return match()
  if (inScope.length === 0) return no
  if (!rule.match) return match()
  if (after.kind === 'moved' && staysInScope(rule, { from: inScope, to: after.to }, context)) return no
  return judgeContent(
    rule.match,
    inScope.length === paths.length ? write : { ...write, paths: inScope },
    context,
  )
}

/** A file moved out of the workspace counts as deleted. */
function staysInScope(
  rule: Rule,
  { from, to }: { from: readonly string[]; to: string | undefined },
  { pathOf }: RuleContext,
): boolean {
  if (to === undefined || !rule.isInScope(pathOf(to))) return false
  return pathOf(to).relative !== undefined || from.every((path) => pathOf(path).relative === undefined)
}

function judgeContent(wanted: Match, write: Write, { operations }: RuleContext): Judgement {
  const { paths, after } = write
  const path = paths[0] ?? ''
  if (after.kind === 'deleted' || after.kind === 'moved')
    return hasLess(wanted, { path, before: write.before, after: '' })
  const found = textOf(write)
  const about = () => match(detectOperations(operations, `${path}\n${found ?? ''}`))
  if (wanted.extensions.length > 0 && paths.some((one) => wanted.extensions.includes(extensionOf(one))))
    return about()
  if (after.kind === 'unknown') return judgeUnseen(wanted, path, after.why)
  if (wanted.shebang && /^\u{feff}?#!/u.test(after.text)) return about()
  if (wanted.content.some((expression) => expression.test(after.text))) return about()
  if (isAbout(wanted, operations, after.text)) return about()
  const comparison = { path, before: write.before, after: after.text }
  const added = hasMore(wanted.added, comparison)
  return added.kind === 'match' ? added : hasLess(wanted, comparison)
}

/** A file with an extension that is not forbidden does not become a script by its first line. */
function judgeUnseen(wanted: Match, path: string, why: string): Judgement {
  const needsText = [wanted.content, wanted.added, wanted.removed, wanted.tests, wanted.operations].some(
    (list) => list.length > 0,
  )
  if (needsText || (wanted.shebang && extensionOf(path) === '')) return unknown(why)
  return no
}

interface Comparison {
  readonly path: string
  readonly before: Write['before']
  readonly after: string
}

function hasMore(expressions: readonly Expression[], { path, before, after }: Comparison): Judgement {
  if (expressions.length === 0) return no
  const [old, now] = [before.kind === 'text' ? codeOf(before.text, path) : '', codeOf(after, path)]
  return expressions.some((expression) => expression.count(now) > expression.count(old)) ? match() : no
}

function hasLess({ removed, tests }: Match, comparison: Comparison): Judgement {
  const fewer = hasFewer(removed, comparison)
  if (fewer.kind !== 'no' || tests.length === 0) return fewer
  const { path, before, after } = comparison
  if (before.kind === 'folder') return no
  if (before.kind === 'unknown') return unknown(UNSEEN)
  const old = before.kind === 'text' ? before.text : undefined
  return tests.some((check) => checkTests(check, { path, before: old, after })) ? match() : no
}

const UNSEEN = 'what the file holds now cannot be seen'

function hasFewer(expressions: readonly Expression[], { path, before, after }: Comparison): Judgement {
  if (expressions.length === 0 || before.kind === 'missing') return no
  // What is in a folder is judged file by file.
  if (before.kind === 'folder') return no
  if (before.kind === 'unknown') return unknown(UNSEEN)
  const [old, now] = [codeOf(before.text, path), codeOf(after, path)]
  return expressions.some((expression) => expression.count(now) < expression.count(old)) ? match() : no
}

/** Lower case, with its dot; some systems strip blanks and dots at the end of a name. */
function extensionOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase()
  const stream = name.indexOf('::$data')
  let end = stream < 0 ? name.length : stream
  while (name[end - 1] === '.' || name[end - 1] === ' ') end--
  const dot = name.lastIndexOf('.', end - 1)
  return dot <= 0 ? '' : name.slice(dot, end)
}

/** A rule covers everything a command line in its scope runs, and commands from elsewhere that `cd` into it. */
function judgeCommands(rule: Rule, facts: ShellFacts, context: RuleContext): Judgement {
  if (rule.isInScope(context.folder)) return judgeShell(rule.match, facts, context)
  const commands = facts.commands.filter((command) =>
    facts.folders.get(command)?.some((folder) => rule.isInScope(context.pathOf(`${folder}/-`))),
  )
  return commands.length === 0 ? no : judgeShell(rule.match, { ...facts, commands }, context)
}

function judgeShell(
  wanted: Match | undefined,
  { commands, code, unknowns }: ShellFacts,
  context: RuleContext,
): Judgement {
  if (!wanted) return match()
  const text = [...commands, ...code.map((inline) => inline.text)].join('\n')
  const isCommand = commands.some((command) => wanted.commands.some((expression) => expression.test(command)))
  if (isCommand || isAbout(wanted, context.operations, text))
    return match(detectOperations(context.operations, text))
  const asks = wanted.commands.length > 0 || wanted.operations.length > 0
  return asks && unknowns[0] !== undefined ? unknown(unknowns[0]) : no
}

function judgeText(wanted: Match | undefined, text: string, { operations }: RuleContext): Judgement {
  if (!wanted) return match()
  const isFound =
    wanted.content.some((expression) => expression.test(text)) || isAbout(wanted, operations, text)
  return isFound ? match(detectOperations(operations, text)) : no
}

function isAbout(wanted: Match, operations: readonly Operation[], text: string): boolean {
  return wanted.operations.length > 0 && detectOperation(named(wanted, operations), text) !== undefined
}

function judgeSpawn(
  wanted: Match | undefined,
  work: { readonly task: string; readonly servers: readonly string[] },
  { operations }: RuleContext,
): Judgement {
  const { valid, missing } = validateSpawnWorker(wanted ? named(wanted, operations) : operations, work)
  return valid ? no : match(missing)
}

function named(wanted: Match, operations: readonly Operation[]): readonly Operation[] {
  if (wanted.operations.includes('*')) return operations
  return operations.filter(({ name }) => wanted.operations.includes(name))
}
