import { lastBefore, matchBrackets, skipBlanks, statementEnd, wordBefore, type Brackets } from './brackets.ts'
import type { Language } from './language.ts'

/** Blanks out code that can never run: after a return, or under a condition that is never true. */
export function reachable(code: string, language: Language): string {
  if (language === 'javascript') return withoutRanges(code, unreachableInJavaScript(code))
  return language === 'python' ? reachableInPython(code) : code
}

type Range = readonly [start: number, end: number]

function withoutRanges(code: string, ranges: readonly Range[]): string {
  let result = ''
  let at = 0
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (end <= at) continue
    const from = Math.max(start, at)
    result += code.slice(at, from) + code.slice(from, end).replace(/[^\n]/g, ' ')
    at = end
  }
  return result + code.slice(at)
}

const neverTrue =
  /\b(?:if|while)\s*\(\s*(?:false|0|null|undefined|!true|!1)\s*(?:\)|&&)|(?<![\w$.])(?:false|0)\s*&&/g
const leaves = /(?:^|[;{}\n])[ \t]*(?:return|throw)\b/g

function unreachableInJavaScript(code: string): Range[] {
  const partners = matchBrackets(code)
  const ranges: Range[] = []
  for (const found of code.matchAll(neverTrue)) {
    const open = code.indexOf('(', found.index)
    const isCondition = /^(?:if|while)/.test(found[0])
    const start = isCondition ? (partners[open] ?? -1) + 1 : found.index + found[0].length
    if (start > 0)
      ranges.push([start, isCondition ? bodyEnd(code, start, partners) : statementEnd(code, start, partners)])
  }
  let past = 0
  for (const found of code.matchAll(leaves)) {
    const word = found.index + found[0].search(/return|throw/)
    if (word < past || isConditional(code, word, partners)) continue
    const start = endOfLeaving(code, word, partners)
    past = blockEnd(code, start, partners)
    ranges.push(...aroundFunctions(code, [start, past], partners))
  }
  return ranges
}

function bodyEnd(code: string, from: number, partners: Brackets): number {
  const start = skipBlanks(code, from)
  if (code[start] === '{') return (partners[start] ?? -1) + 1 || code.length
  return statementEnd(code, start, partners)
}

/** `if (x)`, `else` and the like before it, on the same line or the one above. */
function isConditional(code: string, at: number, partners: Brackets): boolean {
  const last = lastBefore(code, at)
  if (code[last] === ')') {
    const open = partners[last] ?? -1
    const before = lastBefore(code, open) + 1
    return open >= 0 && /^(?:if|for|while|with)$/.test(wordBefore(code, before))
  }
  return code[last] === ':' || /^(?:else|do)$/.test(wordBefore(code, last + 1))
}

function endOfLeaving(code: string, word: number, partners: Brackets): number {
  const from = word + wordAt(code, word).length
  const lineEnd = code.indexOf('\n', from)
  if (lineEnd >= 0 && code.slice(from, lineEnd).trim() === '') return lineEnd
  return statementEnd(code, from, partners)
}

function wordAt(code: string, at: number): string {
  return /^\w+/.exec(code.slice(at, at + 10))?.[0] ?? ''
}

/** Until the bracket that closes the block, or the next case of a switch. */
function blockEnd(code: string, from: number, partners: Brackets): number {
  for (let at = from; at < code.length; at++) {
    const partner = partners[at] ?? -1
    if (partner > at) at = partner
    else if ('}])'.includes(code[at] ?? ' ') && partner >= 0) return at
    else if (code[at] === 'c' || code[at] === 'd') {
      const isCase =
        /^(?:case\b|default\s*:)/.test(code.slice(at, at + 20)) && !/[\w$.]/.test(code[at - 1] ?? '')
      if (isCase) return at
    }
  }
  return code.length
}

/** Functions declared after a return can be called before it. */
function aroundFunctions(code: string, [start, end]: Range, partners: Brackets): Range[] {
  const ranges: Range[] = []
  let at = start
  for (const found of code.slice(start, end).matchAll(/\bfunction\s*\*?\s*[\w$]+\s*\(/g)) {
    const from = start + found.index
    const close = partners[from + found[0].length - 1] ?? -1
    const open = close < 0 ? -1 : code.indexOf('{', close)
    const last = open < 0 ? -1 : (partners[open] ?? -1)
    if (from < at || last < 0) continue
    ranges.push([at, from])
    at = last + 1
  }
  ranges.push([at, end])
  return ranges
}

const leavesInPython = /^[ \t]*(?:return|raise|continue|break)\b/
const neverTrueInPython =
  /^[ \t]*(?:if|elif|while)\s+\(?\s*(?:False|0|None|not\s+True|not\s+1)\s*\)?\s*(?:and\b[^:]*)?:/

function reachableInPython(code: string): string {
  let depth = 0
  /** Lines with at least this indentation never run. */
  let dead = Infinity
  let pending = Infinity
  return code
    .split('\n')
    .map((line) => {
      const isContinued = depth > 0
      depth = Math.max(0, depth + bracketsOpened(line))
      if (line.trim() === '') return line
      const indentation = line.search(/\S/)
      if (!isContinued) {
        if (pending !== Infinity) [dead, pending] = [Math.min(dead, pending), Infinity]
        if (indentation < dead) dead = Infinity
      }
      if (dead !== Infinity) return ''
      if (isContinued) return line
      if (leavesInPython.test(line)) pending = indentation
      const never = neverTrueInPython.exec(line)
      if (!never) return line
      pending = indentation + 1
      return never[0]
    })
    .join('\n')
}

function bracketsOpened(line: string): number {
  let opened = 0
  for (const character of line)
    if ('([{'.includes(character)) opened++
    else if (')]}'.includes(character)) opened--
  return opened
}
