import type { JsonObject, JsonValue } from '../canonical-json.ts'
import { normalListing, type ListedLaunch, type ServerListing } from './server-listing.ts'
import type { ToolDefinition } from '../tool-definition.ts'
import { printInline } from './cut.ts'
import type { Found } from './describe-annotations.ts'
import { bySeverity, describeTool } from './describe-tool.ts'
import { diffFields } from './diff-fields.ts'
import { pairTools } from './pair-tools.ts'
import { oneLine } from './print-change.ts'
import { printDifference } from './print-values.ts'
import type { ServerChange, ServerFinding } from './server-change.ts'
import { countInvisible } from './show-invisible.ts'

const SERVER = 'server'
const MOST_FINDINGS = 300

/**
 * Finds what approving `after` in place of `before` means. Without `before` all of `after` is new. Listings with different
 * integrities always have a finding, others none. Throws a TypeError for a listing without an integrity.
 */
export function describeServerChange(before: ServerListing | undefined, after: ServerListing): ServerChange {
  const [old, now] = [before && normalListing(before), normalListing(after)]
  const findings = bySeverity([
    ...(old ? [] : [unknown]),
    ...describeLaunch(old?.launch, now.launch),
    ...describeInstructions(old?.instructions, now.instructions),
    ...describeTools(old?.tools ?? [], now.tools),
  ])
  return { findings: atMost(findings) }
}

const unknown: ServerFinding = {
  kind: 'listing_unknown',
  subject: SERVER,
  severity: 'warning',
  message: 'the locked listing is missing, so everything is shown as new',
}

function describeLaunch(before: ListedLaunch | undefined, after: ListedLaunch): ServerFinding[] {
  const fields = diffFields('launch', { before: before && { ...before }, after: { ...after } })
  const found = fields.map((field): Found => {
    const isOfNames = field.path === 'launch.env' || field.path === 'launch.headers'
    const severity = isOfNames ? 'warning' : 'danger'
    return { kind: 'launch_changed', severity, message: `${field.path} ${printDifference(sidesOf(field))}` }
  })
  return [...found, ...findHidden({ ...before }, { ...after })].map((one) => finding(SERVER, one))
}

/** Agents trust instructions as if they were their own. */
function describeInstructions(before: string | null | undefined, after: string | null): ServerFinding[] {
  if (before === after) return []
  const message = `instructions ${printDifference({ before, after })}`
  const found: Found = { kind: 'instructions_changed', severity: 'warning', message }
  return [found, ...findHidden(before, after)].map((one) => finding(SERVER, one))
}

function describeTools(before: readonly ToolDefinition[], after: readonly ToolDefinition[]): ServerFinding[] {
  const { kept, renamed, removed, added } = pairTools(before, after)
  const twice = findTwice(after)
  return [
    ...added.flatMap((tool) => {
      const hidden = findHidden(undefined, tool as JsonObject)
      return [describeAdded(tool, twice), ...hidden].map((one) => ofTool(tool, one))
    }),
    ...renamed.flatMap((pair) =>
      [describeRenamed(pair.before), ...describePair(pair)].map((one) => ofTool(pair.after, one)),
    ),
    ...removed.map((tool) => ofTool(tool, { kind: 'tool_removed', severity: 'info', message: 'removed' })),
    ...kept.flatMap((pair) => describePair(pair).map((one) => ofTool(pair.after, one))),
  ]
}

function findTwice(tools: readonly ToolDefinition[]): ReadonlySet<string> {
  const [once, twice] = [new Set<string>(), new Set<string>()]
  for (const { name } of tools) (once.has(name) ? twice : once).add(name)
  return twice
}

function describeAdded(tool: ToolDefinition, twice: ReadonlySet<string>): Found {
  const shown = printDifference({ before: undefined, after: tool as JsonObject })
  if (!twice.has(tool.name)) return { kind: 'tool_added', severity: 'warning', message: shown }
  const message = `is listed more than once, so it is unclear which one is meant; ${shown}`
  return { kind: 'tool_added', severity: 'danger', message }
}

function describeRenamed({ name }: ToolDefinition): Found {
  return { kind: 'tool_renamed', severity: 'warning', message: `was named ${printInline(name)} before` }
}

function describePair({ before, after }: { before: ToolDefinition; after: ToolDefinition }): Found[] {
  const found = describeTool(before, after)
  return before.name === after.name && found.length === 0
    ? []
    : [...found, ...findHidden(before as JsonObject, after as JsonObject)]
}

/** New texts with characters that a reader does not see. */
function findHidden(before: JsonValue | undefined, after: JsonValue): Found[] {
  const known = new Set(textsIn(before))
  const count = [...new Set(textsIn(after))]
    .filter((text) => !known.has(text))
    .reduce((sum, text) => sum + countInvisible(text), 0)
  if (count === 0) return []
  const characters = count === 1 ? 'character' : 'characters'
  const message = `the new text contains ${count} invisible or direction-changing ${characters}`
  return [{ kind: 'hidden_characters', severity: 'danger', message }]
}

function* textsIn(value: JsonValue | undefined): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield* Object.keys(value)
  for (const member of Object.values(value) as (JsonValue | undefined)[]) yield* textsIn(member)
}

function ofTool({ name }: ToolDefinition, { message, ...found }: Found): ServerFinding {
  const subject = printInline(name)
  return finding(subject, { ...found, message: `tool ${subject}: ${message}` })
}

function finding(subject: string, found: Found): ServerFinding {
  return { ...found, subject, message: oneLine(found.message) }
}

function sidesOf({ before, after }: { before?: JsonValue; after?: JsonValue }) {
  return { before, after }
}

/** The last finding stands for all omitted ones and has their highest severity. */
function atMost(findings: readonly ServerFinding[]): readonly ServerFinding[] {
  const [next] = findings.slice(MOST_FINDINGS)
  if (!next) return findings
  const message = `there are ${findings.length - MOST_FINDINGS} more findings`
  return [...findings.slice(0, MOST_FINDINGS), { ...next, subject: SERVER, message }]
}
