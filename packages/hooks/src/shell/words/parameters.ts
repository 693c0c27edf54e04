import type { ParameterExpansionPart, Word } from 'unbash'
import { hole, isKnown } from './holes.ts'

/** `${F%.js}`, `${F:-a}`, `${F^^}`, …; a hole if the operation or its words are unknown. */
export function expandParameter(
  part: ParameterExpansionPart,
  { value, text }: { value: string | undefined; text: (word: Word) => string },
): string {
  const found = part.index === undefined && part.prefix !== '!' ? value : undefined
  // Every word is expanded, so that commands in it are read even if the value is not needed.
  const result = operate(part, { found, text })
  return result !== undefined && isKnown(result) ? result : hole(part.text)
}

function operate(
  part: ParameterExpansionPart,
  { found, text }: { found: string | undefined; text: (word: Word) => string },
): string | undefined {
  const { operation } = part
  if (part.index) text(part.index)
  if (part.prefix === '#') return found === undefined || !isKnown(found) ? undefined : String(found.length)
  if (!operation) return found
  switch (operation.type) {
    case 'Default': {
      const other = text(operation.operand)
      if (found === undefined || !isKnown(found)) return undefined
      const isSet = operation.operator.startsWith(':') ? found !== '' : true
      if (operation.operator.endsWith('+')) return isSet ? other : ''
      return isSet ? found : other
    }
    case 'Remove':
      return remove(found, { operator: operation.operator, pattern: text(operation.operand) })
    case 'Replace':
      return replace(found, {
        operator: operation.operator,
        pattern: text(operation.pattern),
        other: text(operation.replacement),
      })
    case 'Slice':
      return slice(found, [text(operation.offset), operation.length && text(operation.length)])
    case 'CaseModification':
      return operation.operand ? undefined : changeCase(found, operation.operator)
    default:
      return undefined
  }
}

// Globs in a pattern are holes; `*` alone is supported: `${f##*/}`, `${f%.*}`.
function remove(
  value: string | undefined,
  { operator, pattern }: { operator: string; pattern: string },
): string | undefined {
  if (value === undefined || value.length > 4096) return undefined
  const atEnd = operator.startsWith('%')
  if (isKnown(pattern)) {
    if (atEnd) return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) : value
    return value.startsWith(pattern) ? value.slice(pattern.length) : value
  }
  const star = hole('*')
  const fixed = pattern.replace(star, '')
  if (!isKnown(fixed) || !fixed) return undefined
  const longest = operator.length === 2
  if (atEnd && pattern === fixed + star) {
    const at = longest ? value.indexOf(fixed) : value.lastIndexOf(fixed)
    return at < 0 ? value : value.slice(0, at)
  }
  if (!atEnd && pattern === star + fixed) {
    const at = longest ? value.lastIndexOf(fixed) : value.indexOf(fixed)
    return at < 0 ? value : value.slice(at + fixed.length)
  }
  return undefined
}

function replace(
  value: string | undefined,
  { operator, pattern, other }: { operator: string; pattern: string; other: string },
): string | undefined {
  if (value === undefined || !isKnown(pattern) || !pattern) return undefined
  if (operator === '//') return value.replaceAll(pattern, () => other)
  if (operator === '/') return value.replace(pattern, () => other)
  if (operator === '/#') return value.startsWith(pattern) ? other + value.slice(pattern.length) : value
  return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) + other : value
}

function slice(value: string | undefined, range: readonly [string, string | undefined]): string | undefined {
  const [offset, length] = range.map((part) => (part === undefined ? undefined : part.trim()))
  if (value === undefined || !isKnown(value) || !/^-?\d+$/.test(offset ?? '')) return undefined
  const start = Number(offset) < 0 ? Math.max(value.length + Number(offset), 0) : Number(offset)
  if (length === undefined) return value.slice(start)
  if (!/^-?\d+$/.test(length)) return undefined
  return Number(length) < 0 ? value.slice(start, Number(length)) : value.slice(start, start + Number(length))
}

function changeCase(value: string | undefined, operator: string): string | undefined {
  if (value === undefined) return undefined
  const change = (text: string) => (operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase())
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1)
}
