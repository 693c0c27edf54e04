import type { JsonObject } from '../canonical-json.ts'
import type { ToolDefinition } from '../tool-definition.ts'
import { describeAnnotations, type Found } from './describe-annotations.ts'
import { diffFields, joinPath } from './diff-fields.ts'
import { diffSchemas, type SchemaDifference, type SchemaEffect } from './diff-schemas.ts'
import { memberOf, sameJson } from './json.ts'
import { printDifference, type Sides } from './print-values.ts'
import type { Severity, ServerFindingKind } from './server-change.ts'

/** The limit per member of a definition: many findings in one must not hide the others. */
const MOST_FOUND = 12

/** Finds every difference between two definitions except the name. */
export function describeTool(before: ToolDefinition, after: ToolDefinition): Found[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return keys.flatMap((key) => {
    const [old, now] = [before, after].map((tool) => memberOf(tool as JsonObject, key))
    return key === 'name' || sameJson(old, now) ? [] : describeMember(key, { before: old, after: now })
  })
}

function describeMember(key: string, sides: Sides): Found[] {
  const message = `${key} ${printDifference(sides)}`
  switch (key) {
    case 'title':
      return [{ kind: 'title_changed', severity: 'info', message }]
    case 'description':
      return [{ kind: 'description_changed', severity: 'warning', message }]
    case 'annotations':
      return atMost(describeAnnotations(sides), key)
    case 'inputSchema':
      return atMost(diffSchemas(key, sides).map(inputFinding), key)
    case 'outputSchema':
      return atMost(diffSchemas(key, sides).map(outputFinding), key)
    default:
      return atMost(describeOther(key, sides), key)
  }
}

const inputKinds: Readonly<Record<SchemaEffect, readonly [ServerFindingKind, Severity]>> = {
  widened: ['schema_widened', 'warning'],
  narrowed: ['schema_narrowed', 'info'],
  changed: ['schema_changed', 'warning'],
  text: ['description_changed', 'warning'],
}

function inputFinding({ effect, path, what }: SchemaDifference): Found {
  const [kind, severity] = inputKinds[effect]
  return { kind, severity, message: `${path} ${what}` }
}

function outputFinding({ effect, path, what }: SchemaDifference): Found {
  const message = `${path} ${what}`
  if (effect === 'text') return { kind: 'description_changed', severity: 'warning', message }
  return { kind: 'output_schema_changed', severity: 'info', message }
}

function describeOther(key: string, sides: Sides): Found[] {
  return diffFields(joinPath('', key), sides).map(({ path, before, after }) => ({
    kind: 'metadata_changed',
    severity: 'info',
    message: `${path} ${printDifference({ before, after })}`,
  }))
}

/** The worst finding, and the number of the others. */
function atMost(found: readonly Found[], key: string): Found[] {
  const sorted = bySeverity(found)
  const [next] = sorted.slice(MOST_FOUND)
  if (!next) return sorted
  const message = `${key} has ${sorted.length - MOST_FOUND} more differences`
  return [...sorted.slice(0, MOST_FOUND), { ...next, message }]
}

const ranks: Readonly<Record<Severity, number>> = { danger: 0, warning: 1, info: 2 }

export function bySeverity<One extends { readonly severity: Severity }>(found: readonly One[]): One[] {
  return found.toSorted((a, b) => ranks[a.severity] - ranks[b.severity])
}
