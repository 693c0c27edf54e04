import type { Brackets } from './brackets.ts'
import type { Language } from './language.ts'
import type { NamedFunction } from './functions.ts'

/** The range in which a name can be used. */
export interface Scope {
  readonly start: number
  readonly end: number
}

/**
 * Returns where each function can be called by name: in its block. Tests of a file may have helpers with the same name, and a
 * call in one does not run the others'.
 */
export function findScopes(
  code: string,
  {
    language,
    partners,
    functions,
  }: { language: Language; partners: Brackets; functions: readonly NamedFunction[] },
): ReadonlyMap<NamedFunction, Scope> {
  const blocks = language === 'javascript' ? blocksIn(code, partners) : functions
  const sorted = [...functions].sort((a, b) => a.start - b.start)
  const outer = [...blocks].sort((a, b) => a.start - b.start)
  const scopes = new Map<NamedFunction, Scope>()
  const open: Scope[] = []
  let next = 0
  for (const one of sorted) {
    for (let block = outer[next]; block && block.start < one.start; block = outer[++next]) {
      closeBefore(open, block.start)
      open.push(block)
    }
    closeBefore(open, one.start)
    const scope = open.at(-1)
    if (scope) scopes.set(one, scope)
  }
  return scopes
}

function closeBefore(open: Scope[], at: number): void {
  while ((open.at(-1)?.end ?? Infinity) <= at) open.pop()
}

function blocksIn(code: string, partners: Brackets): Scope[] {
  const blocks: Scope[] = []
  for (let start = code.indexOf('{'); start >= 0; start = code.indexOf('{', start + 1)) {
    const end = partners[start] ?? -1
    if (end >= 0) blocks.push({ start, end })
  }
  return blocks
}
