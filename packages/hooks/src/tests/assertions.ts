import { lastBefore, skipBlanks, wordBefore, type Brackets } from './brackets.ts'
import type { Language } from './language.ts'

/** How much an assertion demands: an exact value, a property, or only that there is something. */
export type Grade = 'strict' | 'bounded' | 'loose'

export interface Assertion {
  readonly at: number
  readonly grade: Grade
  /** How many values it compares: `toEqual({ a: 1, b: 2 })` compares two. */
  readonly values: number
  /** True if it only demands that a callback got no error; awaiting a promise checks that implicitly. */
  readonly isNoError?: boolean
  /** True if it is about literals only, so that it tests no code. */
  readonly isEmpty?: boolean
}

interface AssertionReading {
  readonly language: Language
  readonly partners: Brackets
  /** Functions of the same file: their bodies count, not their names. */
  readonly ownNames: ReadonlySet<string>
}

const calls = new RegExp(
  [
    // expect(x).toBe(1), expectTypeOf(x).toEqualTypeOf<A>()
    String.raw`\.\s*(?<matcher>to(?:Be|Equal|StrictEqual|Match|Contain|Have|Throw|Return|Satisfy|Extend|Accept|Reject|Resolve|Include|Start|End|Pass|Fail|Error|Warn)\w*)\s*(?:<[^]{1,600}?>\s*)?\(`,
    // x.should.equal(1), expect(x).to.be.true
    String.raw`(?:\.\s*(?:to|should)|\bshould\s*\((?:[^()]|\([^()]*\))*\))(?:\s*\.\s*(?:not|be|been|have|has|deep|own|nested|ordered|an?|all|any|with|which|that|is|and))*\s*\.\s*(?<chained>\w+)`,
    // request(app).get('/').expect(200)
    String.raw`\.\s*(?<answer>expect)\s*\(`,
    // assert.equal(x, 1), t.assert.ok(x), require.Equal(t, 1, x)
    String.raw`\b(?:assert|Assert|t\.assert)(?:\.strict)?\s*\.\s*(?<asserted>\w+)\s*\(`,
    String.raw`\b(?:require\s*\.\s*(?<required>[A-Z]\w*)|(?:t|tap)\s*\.\s*(?<tapped>${tapNames()}))\s*\(`,
    String.raw`\bt\s*\.\s*(?<failed>Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(`,
    String.raw`\b(?:pytest\s*\.\s*)(?<raised>raises|warns|deprecated_call)\s*\(`,
    // self.assertEqual(x, 1), assert_eq!(x, 1), mock.assert_called_with(1), assertNoWarning(t)
    String.raw`\b(?<named>(?:debug_)?(?:assert|should|expect|verify)(?:[A-Z_]\w*)|(?:debug_)?assert(?=!))!?\s*\(`,
    String.raw`(?<![\w$.])(?<plain>assert)\s*\(`,
  ].join('|'),
  'g',
)

function tapNames(): string {
  return 'equal|equals|same|strictEqual|strictSame|deepEqual|not|notEqual|notSame|match|has|hasStrict|throws|rejects|ok|notOk|error|ifError|fail|type|snapshot|true|false|truthy|falsy|is|deepEquals|like|regex'
}

const statementInPython = /(?:^|[:;])[ \t]*(?<statement>assert)\b/gm
const inRuby =
  /\.\s*(?:to|not_to|to_not|should|should_not)\s+(?<matcher>\w+)|\bis_expected\b|\bassert(?<named>_\w+)?\b/g

export function findAssertions(
  code: string,
  reading: AssertionReading & { readonly path: string },
): Assertion[] {
  const { language, path } = reading
  const expressions = /\.(?:rb|exs?)$/i.test(path)
    ? [inRuby]
    : language === 'python'
      ? [calls, statementInPython]
      : [calls]
  return expressions.flatMap((expression) =>
    [...code.matchAll(expression)].flatMap((found) => assertionOf(code, found, reading)),
  )
}

function assertionOf(code: string, found: RegExpMatchArray, reading: AssertionReading): Assertion[] {
  const { partners, ownNames, language } = reading
  const at = found.index ?? 0
  const groups = found.groups ?? {}
  const { answer, chained, failed, named, plain, raised, statement } = groups
  if (named !== undefined && (ownNames.has(named) || (language === 'python' && isDefinition(code, at))))
    return []
  if (named !== undefined && /^(?:expectTypeOf|assertType)$/.test(named)) return []
  if (plain !== undefined && (language === 'python' || isDefinition(code, at))) return []
  const end = at + found[0].length
  const open = code[end - 1] === '(' ? end - 1 : skipBlanks(code, end)
  const args = statement === undefined ? argumentsAt(code, open, partners) : statementAt(code, end, partners)
  const isAnswer = answer !== undefined
  const isMatcher = code[at] === '.'
  const subject = isMatcher ? subjectBefore(code, at, partners) : args
  const isAbout =
    isAnswer ||
    subject === undefined ||
    !isLiteral(subject, isMatcher) ||
    hasName(args) ||
    groups['asserted'] === 'fail'
  if (!isAbout) return [{ at, grade: 'loose', values: 1, isEmpty: true }]
  const values = valuesIn(args, isAnswer)
  if (isAnswer || failed !== undefined || raised !== undefined) return [{ at, grade: 'strict', values }]
  const name =
    groups['matcher'] ??
    chained ??
    groups['asserted'] ??
    groups['required'] ??
    groups['tapped'] ??
    named ??
    ''
  const grade =
    plain === undefined && statement === undefined ? gradeOfName(name, args) : gradeOfCondition(args)
  const isNegated =
    /\bnot\s*\.\s*$|\bnot(?:\s*\.\s*\w+)*$/.test(code.slice(Math.max(0, at - 12), at)) ||
    /\.not\b/.test(found[0])
  return [
    {
      at,
      grade: isNegated && grade === 'strict' ? 'bounded' : grade,
      values,
      isNoError: /^(?:ifError|error)$/.test(name),
    },
  ]
}

function isDefinition(code: string, at: number): boolean {
  return /^(?:def|function|import|class)$/.test(wordBefore(code, lastBefore(code, at) + 1))
}

function argumentsAt(code: string, open: number, partners: Brackets): string {
  const close = partners[open] ?? -1
  return code[open] === '(' && close > open ? code.slice(open + 1, close) : ''
}

/** Until the end of the line, or of brackets that continue after it. */
function statementAt(code: string, from: number, partners: Brackets): string {
  let at = from
  while (at < code.length && code[at] !== '\n') {
    const partner = partners[at] ?? -1
    at = partner > at ? partner + 1 : at + 1
  }
  return code.slice(from, at)
}

/** The argument of `expect(…)` before a matcher: `expect(x).not.toBe(1)`; undefined for anything else. */
function subjectBefore(code: string, dot: number, partners: Brackets): string | undefined {
  let end = lastBefore(code, dot)
  for (let words = 0; words < 6 && code[end] !== ')'; words++) {
    const before = lastBefore(code, end + 1 - wordBefore(code, end + 1).length)
    if (code[before] !== '.') return undefined
    end = lastBefore(code, before)
  }
  const open = code[end] === ')' ? (partners[end] ?? -1) : -1
  // The argument of `f(1).should` is not the subject, its result is.
  const callee = wordBefore(code, open)
  return open < 0 || !/^(?:expect\w*|should|soft|)$/.test(callee) ? undefined : code.slice(open + 1, end)
}

/** Numbers, words such as `true`, and strings, whose content is omitted here; a string alone may be a failure message. */
function isLiteral(text: string, isSubject: boolean): boolean {
  return (isSubject ? text.trim() !== '' : /\w/.test(text)) && !hasName(text)
}

const literalWords = /^(?:true|false|null|undefined|True|False|None|nil|not|and|or|is|in|new|typeof|void)$/

export function hasName(text: string): boolean {
  return (text.match(/[A-Za-z_$][\w$]*/g) ?? []).some((word) => !literalWords.test(word))
}

const MOST_VALUES = 30

/** `.expect(200, 'text', done)` compares two values, `toEqual({ a: 1, b: [2, 3] })` three, `assert a == 1 and b == 2` two. */
function valuesIn(args: string, isAnswer: boolean): number {
  const parts = splitArguments(args)
  if (isAnswer) return Math.max(1, Math.min(MOST_VALUES, sumOf(parts.filter(isExpected).map(membersOf))))
  const joined = args.match(/\band\b|&&/g)?.length ?? 0
  const inLiterals = sumOf(parts.map(membersOf)) - parts.length
  const isExplained = parts.slice(1).some((part) => /^(?:match|msg|message)\s*=/.test(part))
  return Math.min(MOST_VALUES, 1 + joined + inLiterals + (isExplained ? 1 : 0))
}

/** Splits at commas outside of brackets. */
export function splitArguments(args: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of args) {
    if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim())
}

/** The last argument in `.expect(200, done)` is not a value; a regular expression, whose content is omitted here, is one. */
function isExpected(part: string): boolean {
  return !/^(?:done|cb|next|function)\b|=>/.test(part)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

/** The number of values in a literal object or list; 1 for anything else. */
function membersOf(part: string): number {
  const literal = /(?:^|[=]=\s*)([[{(][^]*[\]})])$/.exec(part)?.[1]
  if (literal === undefined || literal.includes('=>')) return 1
  const members = splitArguments(literal.slice(1, -1)).filter((member) => member !== '')
  return Math.max(1, sumOf(members.map((member) => membersOf(member.replace(/^[\w$'"]+\s*:\s*/, '')))))
}

const looseNames =
  /^(?:be)?(?:ok|notok|okay|true|truthy|false|falsy|defined|exists?|isnotnone|notnull|notnil|nonnull|present|visible|havebeencalled|called|calledonce|iferror|error|noerror|fail|pass|doesnotthrow|notthrow|doesnotreject|notempty|anything)$/
const strictNames =
  /equal|^eql?s?$|^ne$|same|throw|reject|raise|snapshot|calledwith|calledtimes|lastcalled|nthcalled|oncewith|callswith|returned|length|^len|count|property|^be$|undefined|null|none|nan$|^nil|^that|matchobject|exactly|closeto|indelta|text|url|^is$|^include|strictsame/

function gradeOfName(name: string, args: string): Grade {
  const plain = name
    .replace(/_/g, '')
    .toLowerCase()
    .replace(/^(?:debug)?(?:assert|to(?!p)|should|expect|verify)?(?:is)?/, '')
  if (looseNames.test(plain)) return gradeOfCondition(args)
  if (isOnlyPattern(args) || /(?:greater|less)(?:than|equal|or)/.test(plain)) return 'bounded'
  if (/^(?:not|un)/.test(plain) && !/^undefined|^unset/.test(plain)) return 'bounded'
  return strictNames.test(plain) ? 'strict' : 'bounded'
}

/** `toEqual(expect.arrayContaining(x))`, `strictEqual(typeof x, '')`: a property of the value, for any kind of assertion. */
function isOnlyPattern(args: string): boolean {
  return /^\s*(?:expect\s*\.\s*(?:not\s*\.\s*)?(?:any|anything|arrayContaining|stringContaining|stringMatching)\s*\(|typeof\b|type\()/.test(
    args,
  )
}

const comparedKind =
  /\btype\((?:[^()]|\([^()]*\))*\)\s*(?:is|==)(?!\s*not\b)|\btypeof\s+[^=!<>&|?]{1,100}?===?/g

/** `assert x == 1` demands a value, `assert x > 1` a property, `assert x` only something. */
function gradeOfCondition(whole: string): Grade {
  // `type(x) is int`, `typeof x === ''`: a type is not a value.
  const condition = whole.replace(comparedKind, ' instanceof ')
  if (
    /===?(?!=)|\bis\b(?!\s+not\b)|equals?\(/i.test(condition) &&
    !/[!=]==?\s*(?:None|null|undefined)\b/.test(condition)
  )
    return 'strict'
  return /!==?|[<>]|\bin\b|\bis\s+not\b|\bisinstance\(|\binstanceof\b|\.(?:includes|startswith|endswith|startsWith|endsWith|test|has|match)\(/.test(
    condition,
  )
    ? 'bounded'
    : 'loose'
}
