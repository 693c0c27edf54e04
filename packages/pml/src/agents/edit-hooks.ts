import { isDeepStrictEqual } from 'node:util'
import { getNodeValue, stripComments, type Node } from 'jsonc-parser'
import { isJsonObject, type JsonObject } from '@pml/hooks'
import type { WantedHooks } from '@pml/hooks/agents'
import {
  findObject,
  keepingMark,
  memberOf,
  outermost,
  parseMarkedText,
  plainValue,
  problemAt,
  without,
  withLast,
  withValue,
  type JsonText,
} from './json-text.ts'

export interface Editing {
  /** The file name for messages. */
  readonly file: string
  /** Whether some version of pml wrote a hook. */
  isOurs(hook: JsonObject): boolean
}

/** Sets pml's hooks to exactly these; everything else stays as written. An empty text is a new file. */
export function withHooks(text: string, wanted: WantedHooks, editing: Editing): string {
  if (text.trim() === '') {
    const hooks = Object.fromEntries(Array.from(wanted.entries, ([event, entry]) => [event, [entry]]))
    return `${JSON.stringify({ ...wanted.root, hooks }, null, 2)}\n`
  }
  return keepingMark(text, (plain) => {
    let changed = withoutOld(plain, wanted.entries, editing)
    for (const member of Object.entries(wanted.root)) changed = withMember(changed, member, editing)
    for (const entry of wanted.entries) changed = withEntry(changed, entry, editing)
    return changed
  })
}

/** Removes pml's hooks; undefined if nothing else is left in the file. */
export function withoutHooks(text: string, root: WantedHooks['root'], editing: Editing): string | undefined {
  if (listOurs(text, editing).length === 0) return text
  const changed = keepingMark(text, (plain) => withoutOld(plain, new Map(), editing))
  const left = Object.entries(getNodeValue(parseMarkedText(changed, editing.file).root) as object)
  const isEmpty = left.every(([key, value]) => isDeepStrictEqual(root[key], value))
  return isEmpty && stripComments(changed) === changed ? undefined : changed
}

export interface ListedHook {
  readonly event: string
  readonly hook: JsonObject
  /** The calls that it applies to; undefined: all. */
  readonly matcher: unknown
}

/** All of pml's hooks in a settings file, in order. */
export function listOurs(text: string, editing: Editing): readonly ListedHook[] {
  if (text.trim() === '') return []
  return findOurs(parseMarkedText(text, editing.file), editing).flatMap(({ event, node, entry, isWhole }) => {
    const value = getNodeValue(node) as JsonObject
    const hooks = (isWhole ? hooksIn(value) : [value]) as readonly JsonObject[]
    const { matcher } = getNodeValue(entry) as JsonObject
    return hooks.map((hook) => ({ event, hook, matcher }))
  })
}

interface Found {
  readonly event: string
  /** The entry in the event's list, or a hook in an entry shared with others. */
  readonly node: Node
  /** The entry itself, or the one that contains it. */
  readonly entry: Node
  readonly isWhole: boolean
}

function findOurs(source: JsonText, editing: Editing): Found[] {
  const hooks = findObject(source, source.root, 'hooks')
  return (hooks?.children ?? []).flatMap(({ children }) => {
    const event = String(children?.[0]?.value)
    return (findList(source, hooks, event)?.children ?? []).flatMap((entry) => oursIn(event, entry, editing))
  })
}

function oursIn(event: string, entry: Node, { isOurs }: Editing): Found[] {
  const value: unknown = getNodeValue(entry)
  const isOne = (hook: unknown) => isJsonObject(hook) && isOurs(hook)
  if (!isJsonObject(value)) return []
  if (hooksIn(value).every(isOne)) return [{ event, node: entry, entry, isWhole: true }]
  const nodes = entry.children?.find(({ children }) => children?.[0]?.value === 'hooks')?.children?.[1]
  return (nodes?.children ?? [])
    .filter((node) => isOne(getNodeValue(node)))
    .map((node) => ({ event, node, entry, isWhole: false }))
}

/** Some agents group hooks by a matcher, `{ matcher, hooks: […] }`; for others the entry is the hook. */
function hooksIn(entry: JsonObject): readonly unknown[] {
  const { hooks } = entry
  return Array.isArray(hooks) && hooks.length > 0 ? hooks : [entry]
}

/** Removes unwanted hooks of pml: other events, second entries, and hooks in shared entries. */
function withoutOld(text: string, entries: WantedHooks['entries'], editing: Editing): string {
  const source = parseMarkedText(text, editing.file)
  const kept = new Set<string>()
  const old = findOurs(source, editing).find(({ event, isWhole }) => {
    const isKept = isWhole && entries.has(event) && !kept.has(event)
    if (isKept) kept.add(event)
    return !isKept
  })
  if (old === undefined) return text
  return withoutOld(without(source, outermost(source, old.node)), entries, editing)
}

function withMember(text: string, [key, value]: readonly [string, unknown], editing: Editing): string {
  const source = parseMarkedText(text, editing.file)
  if (memberOf(source, source.root, key) !== undefined) return text
  return withLast(source, source.root, { key, value })
}

function withEntry(text: string, [event, entry]: readonly [string, JsonObject], editing: Editing): string {
  const source = parseMarkedText(text, editing.file)
  const found = findOurs(source, editing).find((one) => one.event === event)
  if (found !== undefined) {
    return isDeepStrictEqual(plainValue(found.node), entry) ? text : withValue(source, found.node, entry)
  }
  const hooks = findObject(source, source.root, 'hooks')
  if (hooks === undefined) return withLast(source, source.root, { key: 'hooks', value: { [event]: [entry] } })
  const list = findList(source, hooks, event)
  if (list === undefined) return withLast(source, hooks, { key: event, value: [entry] })
  return withLast(source, list, { value: entry })
}

function findList(source: JsonText, hooks: Node | undefined, event: string): Node | undefined {
  const node = hooks && memberOf(source, hooks, event)
  if (node !== undefined && node.type !== 'array') {
    throw problemAt(source, node.offset, `expected "hooks.${event}" to be a list`)
  }
  return node
}
