import { codeOf } from '../policy/code-of.ts'
import { hasName } from './assertions.ts'
import { matchBrackets, skipBlanks } from './brackets.ts'

const inCode =
  /\b(?:describe|it|test|suite|bench|context)(?:\s*\.\s*\w+)*\s*\.\s*(?:skipIf|runIf)\s*\(|(?:\bmark|@\w+(?:\.\w+)*)\s*\.\s*skipif\s*\(|@(?:unittest\s*\.\s*)?skip(?:If|Unless)\s*\(|\b(?:it|test)\s*\([^,{}()]{0,200},\s*\{[^{}]{0,300}\bskip\s*:(?=\s*[A-Za-z!(])|\?\s*(?:describe|it|test)\s*:\s*(?:describe|it|test)\s*\.\s*skip\b|\?\s*(?:describe|it|test)\s*\.\s*skip\s*:\s*(?:describe|it|test)\b/g

/**
 * Reports whether the change skips existing tests under a condition. A conditional new test hides nothing that was checked
 * before. A constant condition does not count as one.
 */
export function skipsKnownTests(before: string | undefined, after: string, path: string): boolean {
  const now = conditionsIn(codeOf(after, path))
  const added = now.length - (before === undefined ? 0 : conditionsIn(codeOf(before, path)).length)
  if (added <= 0) return false
  if (now.some((condition) => !hasName(condition))) return true
  if (before === undefined) return false
  const known = testNames(before)
  const names = new Set(testNames(after))
  // A renamed test may be a known one.
  if (known.some((name) => !names.has(name))) return true
  return added > skippedNames(after).filter((name) => !before.includes(name)).length
}

/** The conditions of each skip. */
function conditionsIn(code: string): string[] {
  const partners = matchBrackets(code)
  return [...code.matchAll(inCode)].map((found) => {
    const end = found.index + found[0].length
    if (!found[0].endsWith('(')) return found[0].endsWith(':') ? optionAt(code, end) : 'condition'
    const close = partners[end - 1] ?? -1
    return close < 0 ? '' : firstArgument(code.slice(end, close))
  })
}

function optionAt(code: string, from: number): string {
  return /^[^,}\n]*/.exec(code.slice(skipBlanks(code, from)))?.[0] ?? ''
}

function firstArgument(args: string): string {
  return /^[^]*?(?=,\s*reason\s*=|$)/.exec(args)?.[0] ?? ''
}

const declared =
  /\b(?:it|test)(?:\s*\.\s*\w+)*(?:\s*\([^()]*\))?\s*\(\s*(['"`])((?:\\.|(?!\1)[^\\\n])+)\1|\bdef\s+(test\w*)/g

/** The names of the tests in a file, including commented-out ones. */
export function testNames(text: string): string[] {
  return [...text.matchAll(declared)].map(([, , quoted, defined]) => quoted ?? defined ?? '')
}

const skipped =
  /\b(?:it|test)(?:\s*\.\s*\w+)*\s*\.\s*(?:skipIf|runIf)\s*\((?:[^()]|\([^()]*\))*\)(?:\s*\.\s*\w+)*\s*\(\s*(['"`])((?:\\.|(?!\1)[^\\\n])+)\1|\b(?:it|test)\s*\(\s*(['"`])((?:\\.|(?!\3)[^\\\n])+)\3\s*,\s*\{[^{}]{0,300}\bskip\s*:|\bmark\s*\.\s*skipif\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*(?:#[^\n]*\n\s*|@[^\n]*\n\s*)*(?:async\s+)?def\s+(test\w*)/g

/** The names of tests that are skipped under a condition. */
function skippedNames(text: string): string[] {
  return [...text.matchAll(skipped)].map(([, , first, , second, defined]) => first ?? second ?? defined ?? '')
}
