import {
  createScanner,
  getNodePath,
  parseTree,
  printParseErrorCode,
  type JSONPath,
  type Node,
  type ParseError,
} from 'jsonc-parser'
import { PmlError } from './errors.ts'
import { findSecret } from './secret-literals.ts'

/** Line and column count from 1. No message ever repeats a value: a value may be a secret. */
export interface Problem {
  readonly line: number
  readonly column: number
  readonly key: string
  readonly message: string
}

export type JsonNode = Node

/** A member of an object: where its name stands and where its value stands. */
export interface JsonMember {
  readonly key: string
  readonly name: JsonNode
  readonly value: JsonNode
}

/** Deeper than any configuration, shallow enough for a recursive reader. */
export const DEEPEST = 128
/** More than a person mends at once. */
const MOST_PROBLEMS = 20
const strictJson = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/** A JSON text that remembers where everything stands, and the problems found in it so far. */
export class JsonSource {
  readonly file: string
  readonly text: string
  readonly root: JsonNode
  readonly #problems: Problem[] = []
  readonly #lineStarts: readonly number[]

  /** Strict JSON (RFC 8259) with or without a byte order mark. Text that is not JSON is an error at once. */
  constructor(text: string, file: string) {
    this.file = file
    this.text = text.startsWith('\u{feff}') ? text.slice(1) : text
    this.#lineStarts = [
      0,
      ...[...this.text.matchAll(/\r\n|\n|\r/g)].map((found) => found.index + found[0].length),
    ]
    this.root = this.#parse()
    this.#checkValues(this.root)
  }

  /** `file:line:column: key`, where a person looks. */
  placeOf(node: JsonNode): string {
    const { line, column } = this.#positionOf(node.offset)
    return `${this.file}:${line}:${column}: ${printKey(getNodePath(node))}`
  }

  report(node: JsonNode, message: string): void {
    // To name an element of an array, those before it are counted: for all of many that takes minutes.
    if (this.#problems.length >= MOST_PROBLEMS) return
    this.#keep(node.offset, printKey(getNodePath(node)), message)
  }

  /** The same for the value at `path`, or for what is nearest to it. */
  reportAt(path: JSONPath, message: string): void {
    let node = this.root
    for (const part of path) node = childOf(node, part) ?? node
    this.#keep(node.offset, printKey(path), message)
  }

  /** Throws one error about everything that was reported. */
  requireSound(): void {
    if (this.#problems.length === 0) return
    const problems = this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
    const lines = problems.map(({ line, column, key, message }) => {
      return `${this.file}:${line}:${column}: ${key === '' ? '' : `${key}: `}${message}`
    })
    const text = lines.length === 1 ? `: ${lines[0]}` : `, ${lines.length} problems:\n${lines.join('\n')}`
    throw new PmlError('invalid_config', `Cannot read ${this.file}${text}`, { problems })
  }

  #parse(): JsonNode {
    const deep = findTooDeep(this.text)
    if (deep !== undefined) this.#keep(deep, '', `expected at most ${DEEPEST} levels of nesting`)
    this.requireSound()
    const errors: ParseError[] = []
    const root = parseTree(this.text, errors, strictJson)
    for (const { offset, error } of errors) this.#keep(offset, '', describeSyntax(printParseErrorCode(error)))
    if (errors.length === 0 && (root === undefined || !isJson(this.text)))
      this.#keep(0, '', 'expected strict JSON')
    this.requireSound()
    if (root === undefined) throw new Error('unreachable: a text without a value was reported')
    return root
  }

  /** What JSON allows and nobody can mean: the same key twice, half a character, a number beyond all numbers. */
  #checkValues(node: JsonNode): void {
    if (typeof node.value === 'string' && !node.value.isWellFormed()) {
      this.report(node, 'expected well-formed Unicode, got half of a surrogate pair')
    }
    if (typeof node.value === 'string' && node.value.includes('\0')) {
      this.report(node, 'expected text without NUL characters')
    }
    if (typeof node.value === 'number' && !Number.isFinite(node.value))
      this.report(node, 'expected a smaller number')
    if (node.type === 'object') this.#checkDuplicates(node)
    for (const child of node.children ?? []) this.#checkValues(child)
  }

  #checkDuplicates(object: JsonNode): void {
    const seen = new Set<string>()
    for (const { key, name } of membersOf(object)) {
      if (seen.has(key)) this.report(name, 'expected each key once, got it a second time; remove one of them')
      seen.add(key)
    }
  }

  #keep(offset: number, key: string, message: string): void {
    if (this.#problems.length >= MOST_PROBLEMS) return
    this.#problems.push({ ...this.#positionOf(offset), key, message })
  }

  #positionOf(offset: number): { line: number; column: number } {
    let [line, after] = [0, this.#lineStarts.length]
    while (after - line > 1) {
      const middle = (line + after) >> 1
      if ((this.#lineStarts[middle] ?? 0) <= offset) line = middle
      else after = middle
    }
    return { line: line + 1, column: offset - (this.#lineStarts[line] ?? 0) + 1 }
  }
}

export function membersOf(object: JsonNode): JsonMember[] {
  return (object.children ?? []).flatMap(({ children }) => {
    const [name, value] = children ?? []
    return name && value ? [{ key: String(name.value), name, value }] : []
  })
}

function childOf(node: JsonNode, part: string | number): JsonNode | undefined {
  if (node.type === 'array') return node.children?.[Number(part)]
  return node.type === 'object' ? membersOf(node).find(({ key }) => key === part)?.value : undefined
}

/** `a number`, `an object`: what a message may say about a value. */
export function kindOf(node: JsonNode): string {
  if (node.type === 'null') return 'null'
  return /^[aeiou]/.test(node.type) ? `an ${node.type}` : `a ${node.type}`
}

/** `mcpServers.github.args[2]`. A key that is itself a secret (swapped with its value) is not shown. */
function printKey(path: JSONPath): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`
      return `.${findSecret(part) === undefined ? JSON.stringify(part).slice(1, -1).slice(0, 80) : '(hidden)'}`
    })
    .join('')
    .replace(/^\./, '')
}

/** Where the nesting becomes too deep, seen by the parser's own scanner before the parser recurses. */
function findTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  while (depth <= DEEPEST) {
    scanner.scan()
    if (scanner.getTokenLength() === 0) return undefined
    const start = text.charAt(scanner.getTokenOffset())
    if (start === '{' || start === '[') depth++
    if (start === '}' || start === ']') depth--
  }
  return scanner.getTokenOffset()
}

function describeSyntax(code: string): string {
  if (code.includes('Comment')) return 'expected JSON without comments; use a key that starts with _ instead'
  return `expected valid JSON: ${code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
