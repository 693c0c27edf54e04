import { PmlError } from './errors.ts'
import { isComponent, type ToolName } from './names.ts'

/**
 * A pattern for tool names: `ns:action`, `ns:prefix_*`, `ns:*`, `ns` (the same as `ns:*`) or `*`. `stem` is the start of the
 * action if `open`, else the whole action.
 */
export interface ToolPattern {
  readonly text: string
  readonly namespace: string | undefined
  readonly stem: string
  readonly open: boolean
}

const stemPattern = /^[A-Za-z0-9_.-]*$/

export function parseToolPattern(text: string): ToolPattern {
  if (text === '*') return { text, namespace: undefined, stem: '', open: true }
  const colon = text.indexOf(':')
  const namespace = colon === -1 ? text : text.slice(0, colon)
  const action = colon === -1 ? '*' : text.slice(colon + 1)
  const open = action.endsWith('*')
  const stem = open ? action.slice(0, -1) : action
  if (!isComponent(namespace) || !stemPattern.test(stem) || action === '') throw invalid(text)
  return { text, namespace, stem, open }
}

/** Reports whether the pattern covers all of `tool`; `X:*` means every tool of X. */
export function covers(pattern: ToolPattern, tool: ToolName): boolean {
  if (!isOfNamespace(pattern, tool)) return false
  const { stem, open } = pattern
  const action = tool.indexOf(':') + 1
  return tool.startsWith(stem, action) && (open || tool.length === action + stem.length)
}

/** Reports whether the pattern covers `tool`, or some tool of X if `tool` is `X:*`. */
export function touches(pattern: ToolPattern, tool: ToolName): boolean {
  return isOfNamespace(pattern, tool) && (tool.endsWith(':*') || covers(pattern, tool))
}

/** A fast check: most patterns are about another namespace. */
function isOfNamespace({ namespace }: ToolPattern, tool: ToolName): boolean {
  return namespace === undefined || (tool[namespace.length] === ':' && tool.startsWith(namespace))
}

/** Exact beats prefix, a longer prefix beats a shorter one, a namespace beats `*`. */
export function compareSpecificity(a: ToolPattern, b: ToolPattern): number {
  return rank(a) - rank(b)
}

function rank({ namespace, stem, open }: ToolPattern): number {
  if (namespace === undefined) return 0
  return open ? 1 + stem.length : Number.MAX_SAFE_INTEGER
}

function invalid(text: string): PmlError {
  const expected = 'expected namespace:action, namespace:prefix_*, namespace:*, namespace or *'
  return new PmlError('invalid_config', `Cannot read pattern '${onOneLine(text.slice(0, 80))}': ${expected}`)
}

/** Patterns in messages are untrusted and must not look like lines of pml's own. */
function onOneLine(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
