/** Lower-case literals of which every match contains one; undefined if unknown. */
export type Literals = readonly string[] | undefined

/**
 * Finds literals that every match contains; for texts without them the expression is not run. Unknown syntax requires nothing.
 */
export function requiredLiterals(source: string): Literals {
  return findStart(source) ?? readLiterals(source)
}

const plainStart = /^(?:\(\?[ims]+\))?(?:\\b)?([\w ]{4,})(?![*?{+\w ])/

/** Fast path: most expressions begin with a word. */
function findStart(source: string): Literals {
  const word = source.includes('|') ? undefined : plainStart.exec(source)?.[1]
  return word === undefined ? undefined : [word.toLowerCase()]
}

function readLiterals(source: string): Literals {
  const reading = { source: source.replace(/^\(\?[ims]+\)/, ''), at: 0 }
  const literals = alternatives(reading)
  return reading.at === reading.source.length ? literals : undefined
}

interface Reading {
  readonly source: string
  at: number
}

/** Every branch must require something. */
function alternatives(reading: Reading): Literals {
  const branches = [sequence(reading)]
  while (reading.source[reading.at] === '|') {
    reading.at++
    branches.push(sequence(reading))
  }
  const known = branches.filter((branch) => branch !== undefined)
  return known.length === branches.length ? known.flat() : undefined
}

/** The longest part. */
function sequence(reading: Reading): Literals {
  let best: Literals
  let run = ''
  const keep = (literals: Literals) => {
    if (literals && shortest(literals) > shortest(best)) best = literals
  }
  while (reading.at < reading.source.length && !'|)'.includes(reading.source[reading.at] ?? '')) {
    const part = element(reading)
    const isRequired = skipQuantifier(reading)
    if (typeof part === 'string' && isRequired === 'once') run += part
    else {
      keep(run === '' ? undefined : [run])
      run = ''
      if (isRequired !== 'maybe') keep(typeof part === 'string' ? [part] : part)
    }
  }
  keep(run === '' ? undefined : [run])
  return best
}

function shortest(literals: Literals): number {
  return literals === undefined || literals.length === 0 ? 0 : Math.min(...literals.map((one) => one.length))
}

/** A character that stands for itself is text. */
function element(reading: Reading): Literals | string {
  const { source } = reading
  const character = source[reading.at++] ?? ''
  if (character === '(') return group(reading)
  if (character === '[') return skipClass(reading)
  if (character === '\\') return escaped(source[reading.at++] ?? '')
  return /[ !"#%&',\-/0-9:;<=>@A-Z_`a-z~]/.test(character) ? character.toLowerCase() : undefined
}

function escaped(character: string): string | undefined {
  return /[!-/:-@[-`{-~]/.test(character) ? character : undefined
}

function group(reading: Reading): Literals {
  const { source } = reading
  const isPlain = source.startsWith('?:', reading.at)
  if (source[reading.at] === '?' && !isPlain) reading.at = Infinity
  if (isPlain) reading.at += 2
  const literals = alternatives(reading)
  reading.at++
  return literals
}

function skipClass(reading: Reading): undefined {
  const { source } = reading
  if (source[reading.at] === '^') reading.at++
  if (source[reading.at] === ']') reading.at++
  while (reading.at < source.length && source[reading.at] !== ']')
    reading.at += source[reading.at] === '\\' ? 2 : 1
  reading.at++
}

/** Skips a quantifier and returns whether the part before it occurs once, repeatedly, or perhaps not at all. */
function skipQuantifier(reading: Reading): 'once' | 'often' | 'maybe' {
  const [whole = '', least] = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reading.source.slice(reading.at)) ?? []
  reading.at += whole.length
  if (whole === '') return 'once'
  return whole.startsWith('+') || Number(least ?? 0) > 0 ? 'often' : 'maybe'
}
