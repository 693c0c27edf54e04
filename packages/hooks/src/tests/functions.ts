import { lastBefore, skipBlanks, statementEnd, wordBefore, type Brackets } from './brackets.ts'
import type { Language } from './language.ts'
import type { Repetition } from './repetitions.ts'
import type { Scope } from './scopes.ts'

/** A named function: it does something only if it is called. */
export interface NamedFunction {
  readonly name: string
  /** The position of its name. */
  readonly nameAt: number
  readonly start: number
  readonly end: number
  /** Called by the test runner or a framework. */
  readonly isEntry: boolean
}

export function findFunctions(code: string, language: Language, partners: Brackets): NamedFunction[] {
  if (language === 'javascript') return findInJavaScript(code, partners)
  return language === 'python' ? findInPython(code) : []
}

const declaration =
  /\bfunction\s*\*?\s*([\w$]+)\s*(?:<[^<>()]*>\s*)?\(|\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]{0,200})?=\s*/g

function findInJavaScript(code: string, partners: Brackets): NamedFunction[] {
  const functions: NamedFunction[] = []
  for (const found of code.matchAll(declaration)) {
    const [whole, declared, assigned] = found
    const name = declared ?? assigned ?? ''
    const behind = found.index + whole.length
    const body =
      declared === undefined ? bodyOfValue(code, behind, partners) : bodyAfter(code, behind - 1, partners)
    if (!body || (declared !== undefined && isGivenOn(code, found.index))) continue
    const nameAt =
      found.index +
      whole.search(declared === undefined ? /[\w$]+\s*(?::[^=]*)?=\s*$/ : /[\w$]+\s*(?:<[^<>()]*>\s*)?\($/)
    functions.push({ name, nameAt, start: found.index, end: body, isEntry: false })
  }
  return functions
}

/** `f(function name() {…})`: its name is for stack traces, and `f` calls it. */
function isGivenOn(code: string, at: number): boolean {
  const before = lastBefore(code, at) + 1
  const last = wordBefore(code, before) === 'async' ? lastBefore(code, before - 'async'.length) : before - 1
  if (code[last] === ',') return true
  const callee = lastBefore(code, last) + 1
  return (
    code[last] === '(' &&
    /[\w$)\]]/.test(code[callee - 1] ?? '') &&
    !/^(?:void|return|typeof|await|yield|new|in|of|case|delete|throw)$/.test(wordBefore(code, callee))
  )
}

/** The end of the block after the parameters. */
function bodyAfter(code: string, open: number, partners: Brackets): number | undefined {
  const close = partners[open] ?? -1
  if (close < 0) return undefined
  const block = code.indexOf('{', close)
  const end = block < 0 ? -1 : (partners[block] ?? -1)
  return end < 0 ? undefined : end + 1
}

/** The end of a function expression: `function () {…}`, `(a) => {…}`, `a => b`. */
function bodyOfValue(code: string, from: number, partners: Brackets): number | undefined {
  const start = /^async\b\s*/.exec(code.slice(from, from + 20))?.[0].length ?? 0
  let at = from + start
  if (/^function\b/.test(code.slice(at, at + 10))) {
    const open = code.indexOf('(', at)
    return open < 0 ? undefined : bodyAfter(code, open, partners)
  }
  const generic = /^<[^<>()]{0,200}>\s*/.exec(code.slice(at, at + 220))
  at += generic?.[0].length ?? 0
  if (code[at] === '(') at = (partners[at] ?? -1) + 1
  else at += /^[\w$]+/.exec(code.slice(at, at + 100))?.[0].length ?? 0
  const arrow = at === 0 ? null : /^\s*(?::[^=;\n]{0,200})?=>\s*/.exec(code.slice(at, at + 240))
  if (!arrow) return undefined
  const body = at + arrow[0].length
  if (code[body] === '{') return (partners[body] ?? -1) + 1 || undefined
  return statementEnd(code, body, partners)
}

const entryInPython = /^(?:test|setup|setUp|teardown|tearDown|asyncSetUp|asyncTearDown|pytest_|__\w+__$|run$)/

function findInPython(code: string): NamedFunction[] {
  const functions: NamedFunction[] = []
  const open: { indentation: number; entry: Omit<NamedFunction, 'end'> }[] = []
  const close = (indentation: number, end: number) => {
    while (open.length > 0 && (open.at(-1)?.indentation ?? 0) >= indentation) {
      const last = open.pop()
      if (last) functions.push({ ...last.entry, end })
    }
  }
  let at = 0
  let decorators = ''
  let depth = 0
  for (const line of code.split('\n')) {
    const isContinued = depth > 0
    depth = Math.max(0, depth + (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0))
    const indentation = line.search(/\S/)
    if (indentation >= 0 && !isContinued) {
      close(indentation, at)
      const found = /^\s*(?:async\s+)?def\s+(\w+)/.exec(line)
      const name = found?.[1] ?? ''
      if (found) {
        const nameAt = at + found[0].length - name.length
        const isEntry = entryInPython.test(name) || isCalledByDecorator(decorators)
        open.push({ indentation, entry: { name, nameAt, start: at, isEntry } })
      }
      decorators = line[indentation] === '@' ? `${decorators}${line}\n` : ''
    } else if (isContinued && decorators !== '') decorators += line
    at += line.length + 1
  }
  close(0, code.length)
  return functions
}

/** A fixture runs only for the tests that name it. */
function isCalledByDecorator(decorators: string): boolean {
  return decorators !== '' && (!/\bfixture\b/.test(decorators) || /\bautouse\s*=\s*True/.test(decorators))
}

interface Calling {
  readonly functions: readonly NamedFunction[]
  readonly repetitions: readonly Repetition[]
  readonly scopes: ReadonlyMap<NamedFunction, Scope>
  /** A file without tests is a helper for others, which call its functions. */
  readonly hasTests: boolean
}

/** How often the code at a position runs, as far as the text says; 0 in a function that nobody calls. */
export function countRuns(
  code: string,
  { functions, repetitions, scopes, hasTests }: Calling,
): (at: number) => number {
  const uses = findUses(code, functions, scopes)
  const known = new Map<NamedFunction, number>()
  const callsOf = (one: NamedFunction): number => {
    const before = known.get(one)
    if (before !== undefined) return before
    // A function that only calls itself is never called.
    known.set(one, 0)
    const from = (uses.get(one) ?? []).filter((at) => at < one.start || at >= one.end)
    const calls = from.reduce((sum, at) => sum + runsAt(at), 0)
    const times = Math.min(MOST_CALLS, Math.max(one.isEntry || !hasTests ? 1 : 0, calls))
    known.set(one, times)
    return times
  }
  const runsAt = (at: number): number => {
    const within = innermost(functions, at)
    const rows = rowsAt(repetitions, { at, from: within?.start ?? 0 })
    return within ? rows * callsOf(within) : rows
  }
  return runsAt
}

function rowsAt(repetitions: readonly Repetition[], { at, from }: { at: number; from: number }): number {
  return repetitions
    .filter(({ start, end }) => start >= from && at >= start && at < end)
    .reduce((product, { times }) => product * times, 1)
}

function findUses(
  code: string,
  functions: readonly NamedFunction[],
  scopes: Calling['scopes'],
): Map<NamedFunction, number[]> {
  const byName = new Map<string, NamedFunction[]>()
  const uses = new Map<NamedFunction, number[]>()
  for (const one of functions) {
    uses.set(one, [])
    const same = byName.get(one.name)
    if (same) same.push(one)
    else byName.set(one.name, [one])
  }
  for (const { 0: name, index } of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
    const named = byName.get(name)
    if (!named || named.length > MOST_NAMESAKES || !isUse(code, index, name.length)) continue
    for (const one of named)
      if (index !== one.nameAt && isWithin(scopes.get(one), index)) uses.get(one)?.push(index)
  }
  return uses
}

function isWithin(scope: Scope | undefined, at: number): boolean {
  return !scope || (at >= scope.start && at < scope.end)
}

const MOST_CALLS = 1000
/** More than any real file has: each call is compared with each of them. */
const MOST_NAMESAKES = 200

function innermost(functions: readonly NamedFunction[], at: number): NamedFunction | undefined {
  let best: NamedFunction | undefined
  for (const one of functions)
    if (at >= one.start && at < one.end && (!best || one.start > best.start)) best = one
  return best
}

/** A call, or a value that is passed on: an argument, a list item or a return value. */
function isUse(code: string, at: number, length: number): boolean {
  const end = skipBlanks(code, at + length)
  if (code[end] === '(' || code[end] === '`') return true
  if (/^\.(?:bind|call|apply)\(/.test(code.slice(end, end + 8))) return true
  const last = lastBefore(code, at)
  const before = code[last] ?? ''
  if ('(,[:'.includes(before) && before !== '') return true
  if (/^(?:return|yield|await)$/.test(wordBefore(code, last + 1))) return true
  return before === '=' && isKeywordArgument(code, last)
}

function isKeywordArgument(code: string, equals: number): boolean {
  const end = lastBefore(code, equals) + 1
  const before = code[lastBefore(code, end - wordBefore(code, end).length)] ?? ''
  return before === '(' || before === ','
}
