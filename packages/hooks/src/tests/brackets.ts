const closingOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Maps each bracket in code without strings and comments to its partner; -1 if there is none. */
export type Brackets = Int32Array

export function matchBrackets(code: string): Brackets {
  const partners = new Int32Array(code.length).fill(-1)
  const open: number[] = []
  for (let at = 0; at < code.length; at++) {
    const character = code[at] ?? ''
    if (character in closingOf) open.push(at)
    else if (character === ')' || character === ']' || character === '}') {
      // An unclosed inner bracket is a typo or a comparison; the outer brackets still count.
      while (open.length > 0 && closingOf[code[open.at(-1) ?? 0] ?? ''] !== character) open.pop()
      const start = open.pop()
      if (start === undefined) continue
      partners[start] = at
      partners[at] = start
    }
  }
  return partners
}

export function skipBlanks(code: string, from: number): number {
  let at = from
  while (at < code.length && isBlank(code[at])) at++
  return at
}

/** The index of the last non-blank character before `from`; -1 if there is none. */
export function lastBefore(code: string, from: number): number {
  let at = from - 1
  while (at >= 0 && isBlank(code[at])) at--
  return at
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r'
}

/** The word that ends directly before `end`. */
export function wordBefore(code: string, end: number): string {
  let start = end
  while (start > 0 && end - start < 60 && /[\w$]/.test(code[start - 1] ?? '')) start--
  return code.slice(start, end)
}

/** Where the statement that contains `from` ends: at a semicolon, at the end of a complete line, or with its block. */
export function statementEnd(code: string, from: number, partners: Brackets): number {
  let at = from
  while (at < code.length) {
    const character = code[at] ?? ''
    const partner = partners[at] ?? -1
    if (partner > at) {
      at = partner + 1
      continue
    }
    if (character === ';') return at + 1
    if (character === ')' || character === ']' || character === '}') return at
    if (character === '\n' && isWholeAt(code, at)) return at
    at++
  }
  return code.length
}

function isWholeAt(code: string, lineEnd: number): boolean {
  const next = code[skipBlanks(code, lineEnd)] ?? ''
  if ('.?:&|+*/,=<>'.includes(next) && next !== '') return false
  const last = code[lastBefore(code, lineEnd)] ?? ''
  return !'(,=&|+*?:[<.'.includes(last)
}
