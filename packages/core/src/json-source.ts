import {
  createScanner,
  getNodePath,
  parseTree,
  printParseErrorCode,
  type JSONPath,
  type Node,
  type ParseErrorCode,
  type ParseOptions,
  visit,
} from 'jsonc-parser'
import { PmlError } from './errors.ts'
import { findSecret } from './secret-literals.ts'

/** Line and column count from 1. No message repeats a value, because a value may be a secret. */
export interface Problem {
  readonly line: number
  readonly column: number
  readonly key: string
  readonly message: string
}

export type JsonNode = Node

/** A member of an object, with the positions of its name and its value. */
export interface JsonMember {
  readonly key: string
  readonly name: JsonNode
  readonly value: JsonNode
}

/** Deeper than any configuration, shallow enough for a recursive reader. */
export const DEEPEST = 128
/** More than a person fixes at once. */
const MOST_PROBLEMS = 20

interface SourceOptions {
  /** Comments and trailing commas are fine, as in the settings of editors. */
  readonly allowsComments?: boolean
  /** The problems that are kept; parsing stops after these. */
  readonly mostProblems?: number
}

/** A parsed JSON text with the position of every value and the problems found so far. */
export class JsonSource {
  readonly file: string
  readonly text: string
  readonly root: JsonNode
  readonly #problems: (Problem & { readonly offset: number })[] = []
  #lineStarts: readonly number[] | undefined
  readonly #allowsComments: boolean
  readonly #mostProblems: number

  /** Parses strict JSON (RFC 8259) with or without a byte order mark. Throws for text that is not JSON. */
  constructor(
    text: string,
    file: string,
    { allowsComments = false, mostProblems = MOST_PROBLEMS }: SourceOptions = {},
  ) {
    this.file = file
    this.#allowsComments = allowsComments
    this.#mostProblems = mostProblems
    this.text = text.startsWith('\u{feff}') ? text.slice(1) : text
    this.root = this.#parse()
    this.#checkValues(this.root)
  }

  /** `file:line:column: key`, for messages. */
  placeOf(node: JsonNode): string {
    const { line, column } = this.#positionOf(node.offset)
    return `${this.file}:${line}:${column}: ${printKey(getNodePath(node))}`
  }

  report(node: JsonNode, message: string): void {
    // Naming an array element counts those before it, which takes minutes for very long arrays.
    if (this.#isFull) return
    this.#keep(node.offset, printKey(getNodePath(node)), message)
  }

  /** The same for the value at `path`, or for the nearest value that exists. */
  reportAt(path: JSONPath, message: string): void {
    let node = this.root
    for (const part of path) node = childOf(node, part) ?? node
    this.#keep(node.offset, printKey(path), message)
  }

  /** The reported problems in the order of the text. */
  get problems(): readonly Problem[] {
    const sorted = this.#problems.toSorted((a, b) => a.offset - b.offset)
    return sorted.map(({ line, column, key, message }) => ({ line, column, key, message }))
  }

  /** Reports whether nothing was reported within this value and all of it was read. */
  isSound({ offset, length }: JsonNode): boolean {
    const isInside = (at: number) => at >= offset && at < offset + length
    return !this.#isFull && !this.#problems.some((problem) => isInside(problem.offset))
  }

  /** Throws one error with all reported problems. */
  requireSound(): void {
    const { problems } = this
    if (problems.length === 0) return
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
    const options = {
      disallowComments: !this.#allowsComments,
      allowTrailingComma: this.#allowsComments,
      allowEmptyContent: false,
    }
    if (!isJson(this.text)) {
      this.#findSyntaxErrors(options)
      this.requireSound()
    }
    const root = parseTree(this.text, [], options)
    if (root === undefined || !(this.#allowsComments || isJson(this.text)))
      this.#keep(0, '', 'expected strict JSON')
    this.requireSound()
    if (root === undefined) throw new Error('unreachable: a text without a value was reported')
    return root
  }

  /** Parsing stops when enough problems are kept, because a broken text can have millions. */
  #findSyntaxErrors(options: ParseOptions): void {
    const enough = Symbol('enough problems')
    const onError = (error: ParseErrorCode, offset: number) => {
      this.#keep(offset, '', describeSyntax(printParseErrorCode(error)))
      if (this.#isFull) throw enough
    }
    try {
      visit(this.text, { onError }, options)
    } catch (thrown) {
      if (thrown !== enough) throw thrown
    }
  }

  /** Rejects valid JSON that nobody writes on purpose: duplicate keys, half surrogate pairs, infinite numbers. */
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
    if (!this.#isFull) this.#problems.push({ offset, ...this.#positionOf(offset), key, message })
  }

  get #isFull(): boolean {
    return this.#problems.length >= this.#mostProblems
  }

  #positionOf(offset: number): { line: number; column: number } {
    const starts = (this.#lineStarts ??= lineStartsIn(this.text))
    let [line, after] = [0, starts.length]
    while (after - line > 1) {
      const middle = (line + after) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else after = middle
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

/** A line ends with LF, CR or CR LF. */
function lineStartsIn(text: string): number[] {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1)
  }
  return starts
}

/** Returns the source, or the problems of a text that is not JSON. */
export function findSource(
  text: string,
  file: string,
  options: SourceOptions = {},
): JsonSource | readonly Problem[] {
  try {
    return new JsonSource(text, file, options)
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return error.detail['problems'] as readonly Problem[]
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

/** `a number`, `an object`: how messages describe a value. */
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

/** Finds where the nesting is too deep with the parser's own scanner, before the parser recurses. */
function findTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  while (depth <= DEEPEST) {
    scanner.scan()
    // After an unclosed comment the scanner is past the end of the text, and its last token has a length.
    if (scanner.getTokenOffset() >= text.length) return undefined
    const start = text.charAt(scanner.getTokenOffset())
    if (start === '{' || start === '[') depth++
    if (start === '}' || start === ']') depth--
  }
  return scanner.getTokenOffset()
}

function describeSyntax(code: string): string {
  if (code === 'InvalidCommentToken')
    return 'expected JSON without comments; use a key that starts with _ instead'
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
