import { PmlError } from '@pml/core/errors'
import type { Expression } from './policy.ts'
import { requiredLiterals, type Literals } from './required-literals.ts'

const flagsInFront = /^\(\?([ims]+)\)/
/** Syntax that linear engines lack; refused so that a policy means the same at the registry. */
const notLinear = /(?<!\\)(?:\\\\)*\((?:\?=|\?!|\?<=|\?<!)|\\[1-9]|\\k</

/** Without the Unicode flag expressions compile in half the time, and most are ASCII. */
const needsUnicode = /[\u0080-\uffff]|\\[pPu]/

/**
 * A regular expression in RE2's syntax, run by Node's own engine, because a linear engine takes longer to load than a decision
 * may take. The caller sets a deadline. `^` and `$` match at lines.
 */
export function compileNative(source: string): Expression {
  if (notLinear.test(source))
    throw new PmlError('invalid_pattern', 'expected no lookahead, lookbehind or back-reference')
  const flags = flagsInFront.exec(source)?.[1] ?? ''
  const body = source.replace(flagsInFront, '')
  const expression = compile(
    body,
    `${[...new Set(`m${flags}`)].join('')}g${needsUnicode.test(body) ? 'u' : ''}`,
  )
  return {
    source,
    test: (text) => {
      expression.lastIndex = 0
      return expression.test(text)
    },
    count: (text) => [...text.matchAll(expression)].length,
  }
}

/**
 * Compiles on first use: few rules apply to a call, and most of those search for absent words. A broken expression
 * throws then, so the call is blocked; "pml hooks test" finds it earlier.
 */
export function compileLate(source: string): Expression {
  let made: Expression | undefined
  let needed: { readonly literals: Literals } | undefined
  const expression = () => (made ??= compileNative(source))
  const mayMatch = (text: string) => {
    needed ??= { literals: requiredLiterals(source) }
    return needed.literals?.some((literal) => lowered(text).includes(literal)) ?? true
  }
  return {
    source,
    test: (text) => mayMatch(text) && expression().test(text),
    count: (text) => (mayMatch(text) ? expression().count(text) : 0),
  }
}

let lastText = ''
let lastLowered = ''

/** Cached: many expressions check one text. */
function lowered(text: string): string {
  if (text !== lastText) [lastText, lastLowered] = [text, text.toLowerCase()]
  return lastLowered
}

function compile(body: string, flags: string): RegExp {
  try {
    return new RegExp(body, flags)
  } catch (error) {
    throw new PmlError('invalid_pattern', `expected a regular expression: ${(error as Error).message}`)
  }
}
