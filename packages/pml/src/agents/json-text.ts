import {
  createScanner,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser'
import { PmlError } from '@pml/core'

// By hand: jsonc-parser's `modify` moves comments to a new member, deletes some with a removed one, and reformats short lists.

/** A settings file as people write it: JSON, with or without comments and trailing commas. */
export interface JsonText {
  readonly file: string
  readonly text: string
  readonly root: Node
}

/** The text after a node: its comma, and the end of the comments on its line. */
interface Tail {
  readonly comma: number | undefined
  readonly end: number
}

const jsonc = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: false }

/** Parses a JSON object. Throws `invalid_config` with line and column for anything else. */
function parseJsonText(text: string, file: string): JsonText {
  const errors: ParseError[] = []
  const root = parseDeep({ file, text }, errors)
  const [first] = errors
  if (first !== undefined) {
    const problem = printParseErrorCode(first.error)
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
    throw problemAt({ file, text }, first.offset, `expected valid JSON: ${problem}`)
  }
  if (root?.type !== 'object') throw problemAt({ file, text }, root?.offset ?? 0, 'expected an object')
  return { file, text, root }
}

const BYTE_ORDER_MARK = '\u{feff}'

/** Parses a text that may begin with a byte order mark; offsets exclude it. */
export function parseMarkedText(text: string, file: string): JsonText {
  return parseJsonText(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, file)
}

export function keepingMark(text: string, change: (plain: string) => string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + change(text.slice(1)) : change(text)
}

/** Parses, and reports too deep nesting: the parser is recursive. */
function parseDeep(source: Pick<JsonText, 'file' | 'text'>, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(source.text, errors, jsonc)
  } catch (error) {
    throw error instanceof RangeError ? problemAt(source, 0, 'expected fewer levels of nesting') : error
  }
}

export function problemAt(
  { file, text }: Pick<JsonText, 'file' | 'text'>,
  offset: number,
  problem: string,
): PmlError {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  const place = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
  return new PmlError(
    'invalid_config',
    `Cannot read ${file}: ${place}: ${problem}; fix it, then run this again`,
  )
}

/** The value of a member. Throws for a repeated key: agents differ in which one they use. */
export function memberOf(source: JsonText, object: Node, key: string): Node | undefined {
  const [found, second] = (object.children ?? []).filter(({ children }) => children?.[0]?.value === key)
  if (second !== undefined) {
    throw problemAt(source, second.offset, `expected "${key}" once, got it a second time`)
  }
  return found?.children?.[1]
}

/** The object under a key. Throws for any other value. */
export function findObject(source: JsonText, parent: Node, key: string): Node | undefined {
  const node = memberOf(source, parent, key)
  if (node !== undefined && node.type !== 'object') {
    throw problemAt(source, node.offset, `expected "${key}" to be an object`)
  }
  return node
}

/** The value with ordinary prototypes: the parser's objects have none and would never be deeply equal. */
export function plainValue(node: Node): unknown {
  return JSON.parse(JSON.stringify(getNodeValue(node)))
}

/** Appends a member to an object, or without a key a value to a list. */
export function withLast(
  { text }: JsonText,
  container: Node,
  { key, value }: { key?: string; value: unknown },
): string {
  const layout = layoutOf(text, container)
  const print = (isCompact: boolean) => {
    const json = JSON.stringify(value, null, isCompact ? undefined : layout.unit)
    const lines = json.replaceAll('\n', layout.eol + layout.indent)
    return key === undefined ? lines : `${JSON.stringify(key)}: ${lines}`
  }
  const last = container.children?.at(-1)
  if (last === undefined) return inEmpty(text, container, { layout, body: print(false) })
  const { comma, end } = tailOf(text, last)
  const isOneLine = !text.slice(container.offset, endOf(container)).includes('\n')
  const body = isOneLine ? ` ${print(true)}` : `${layout.eol}${layout.indent}${print(false)}`
  if (comma !== undefined) return splice(text, end, end, `${body},`)
  return splice(splice(text, end, end, body), endOf(last), endOf(last), ',')
}

/** Replaces a value; on one line if the old value was. */
export function withValue({ text }: JsonText, node: Node, value: unknown): string {
  const { unit, eol } = layoutOf(text, node)
  const isOneLine = !text.slice(node.offset, endOf(node)).includes('\n')
  const printed = JSON.stringify(value, null, isOneLine ? undefined : unit)
  const lines = printed.replaceAll('\n', eol + indentAt(text, node.offset))
  return splice(text, node.offset, endOf(node), lines)
}

/** Removes a member or a value. This exactly reverts `withLast`. */
export function without({ text }: JsonText, node: Node): string {
  const siblings = node.parent?.children ?? []
  const index = siblings.indexOf(node)
  const [before, after] = [siblings[index - 1], siblings[index + 1]]
  const { comma, end: tailEnd } = tailOf(text, node)
  if (before !== undefined) {
    const { comma: itsComma, end } = tailOf(text, before)
    if (comma !== undefined) return splice(text, end, comma + 1, '')
    const rest = splice(text, end, endOf(node), '')
    // A comma at the start of the next line was removed with the rest.
    return itsComma === undefined ? rest : splice(rest, itsComma, itsComma + 1, '')
  }
  if (after !== undefined) {
    // A comment on a line below belongs to the next member.
    const next = comma === undefined ? after.offset : tailEnd + text.slice(tailEnd).search(/\S/)
    return splice(text, node.offset, next, '')
  }
  const start = lastCommentEnd(text, (node.parent?.offset ?? 0) + 1, node.offset)
  return splice(text, start, comma === undefined ? endOf(node) : comma + 1, '')
}

/** The outermost container that would become empty, up to a member of the root. A comment keeps a container. */
export function outermost(source: JsonText, node: Node): Node {
  const { parent } = node
  const { text, root } = source
  if (parent === undefined || parent === root) return node
  if (parent.type === 'property') return outermost(source, parent)
  const isAlone = parent.children?.length === 1
  const isCommented =
    hasComment(text, parent.offset + 1, node.offset) || hasComment(text, endOf(node), endOf(parent))
  return isAlone && !isCommented ? outermost(source, parent) : node
}

function hasComment(text: string, start: number, end: number): boolean {
  return tokensIn(text, start, end).some(({ kind }) => kind === 'comment')
}

function endOf({ offset, length }: Node): number {
  return offset + length
}

function inEmpty(
  text: string,
  container: Node,
  { layout: { eol, indent, outer }, body }: { layout: Layout; body: string },
): string {
  const close = endOf(container) - 1
  const start = lastCommentEnd(text, container.offset + 1, close)
  const rest = text.slice(start, close)
  const closing = rest.includes('\n') ? rest : eol + outer
  return splice(text, start, close, `${eol}${indent}${body}${closing}`)
}

interface Layout {
  readonly eol: string
  /** One level of indentation. */
  readonly unit: string
  /** The indentation of the container's content, and of the container. */
  readonly indent: string
  readonly outer: string
}

/** The layout of the file. */
function layoutOf(text: string, container: Node): Layout {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const unit = /^([ \t]+)[^\s*]/m.exec(text)?.[1] ?? '  '
  const outer = indentAt(text, container.offset)
  const first = container.children?.[0]
  const isOnOwnLine = first !== undefined && text.slice(container.offset, first.offset).includes('\n')
  return { eol, unit, outer, indent: isOnOwnLine ? indentAt(text, first.offset) : outer + unit }
}

function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** The comma and the comments after a node, up to the end of its line or the next value. */
function tailOf(text: string, node: Node): Tail {
  let tail: Tail = { comma: undefined, end: endOf(node) }
  for (const { kind, start, end } of tokensIn(text, endOf(node), text.length)) {
    if (kind === 'comma' && tail.comma === undefined) tail = { comma: start, end }
    else if (kind === 'comment') tail = { ...tail, end }
    else if (kind !== 'space') break
  }
  return tail
}

function lastCommentEnd(text: string, start: number, end: number): number {
  return tokensIn(text, start, end).findLast(({ kind }) => kind === 'comment')?.end ?? start
}

interface Token {
  readonly kind: 'comment' | 'comma' | 'line break' | 'space' | 'value'
  readonly start: number
  readonly end: number
}

/** The tokens up to the first value. */
function tokensIn(text: string, start: number, end: number): readonly Token[] {
  const scanner = createScanner(text, false)
  scanner.setPosition(start)
  const tokens: Token[] = []
  while (scanner.getPosition() < end && tokens.at(-1)?.kind !== 'value') {
    scanner.scan()
    const at = scanner.getTokenOffset()
    tokens.push({ kind: kindOf(text.charAt(at)), start: at, end: at + scanner.getTokenLength() })
  }
  return tokens
}

function kindOf(firstCharacter: string): Token['kind'] {
  if (firstCharacter === '/') return 'comment'
  if (firstCharacter === ',') return 'comma'
  if (firstCharacter === '\n' || firstCharacter === '\r') return 'line break'
  return firstCharacter.trim() === '' ? 'space' : 'value'
}

function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end)
}
