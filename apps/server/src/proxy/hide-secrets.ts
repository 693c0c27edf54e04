import { needlesOf, SHORTEST, type Needle } from './secret-forms.ts'

/** Removes the secrets of one call from the server's response. */
export interface SecretHider {
  text(value: string): string
  /** Hides secrets in text that is always in lower case, such as header names. */
  lowerCase(value: string): string
  /** Creates the stream for one body. */
  stream(): HidingStream
}

export interface HidingStream {
  /** Returns the bytes that are safe to send. Holds back a possible beginning of a secret. */
  push(piece: Uint8Array): Uint8Array
  /** Returns the rest, with a held-back beginning of a secret hidden. */
  end(): Uint8Array
}

const HIDDEN = Buffer.from('***')

/** A partial match this short at the end of a response reveals nothing useful. */
const SHORTEST_REST = 4
/** The most states to cache between texts; the cache is cleared beyond this. */
const MOST_STATES = 5000

export function createSecretHider(values: readonly string[]): SecretHider {
  const matcher = createMatcher(needlesOf(values))
  const lower = createMatcher(needlesOf(values.map((value) => value.toLowerCase())))
  return {
    text: (value) => hideIn(value, createStream(matcher)),
    lowerCase: (value) => hideIn(value, createStream(lower)),
    stream: () => createStream(matcher),
  }
}

function hideIn(text: string, stream: HidingStream): string {
  return Buffer.concat([stream.push(Buffer.from(text)), stream.end()]).toString()
}

function createStream({ idle, move }: Matcher): HidingStream {
  let state = idle
  /** The start of each match of the state, as an offset in the whole text. */
  let begins: readonly number[] = []
  let kept = Buffer.alloc(0)
  /** For each held byte, whether it is part of a secret. */
  let marks = new Uint8Array()
  /** The offset of the held bytes in the whole text. */
  let offset = 0
  let endedHidden = false

  /** Takes the first `length` held bytes, with each run of hidden bytes as one mark. */
  function take(length: number): Uint8Array {
    const pieces: Uint8Array[] = []
    for (let from = 0; from < length;) {
      const isHidden = marks[from] === 1
      const end = marks.indexOf(isHidden ? 0 : 1, from)
      const to = end === -1 || end > length ? length : end
      if (!isHidden) pieces.push(kept.subarray(from, to))
      else if (!endedHidden) pieces.push(HIDDEN)
      endedHidden = isHidden
      from = to
    }
    kept = kept.subarray(length)
    marks = marks.slice(length)
    offset += length
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
  }

  function read(byte: number, at: number): void {
    const { to, sources, hidden } = move(state, byte)
    if (to === idle && hidden.length === 0) {
      state = idle
      return
    }
    const beginOf = (match: number) => begins[match] ?? at
    for (const { match, back } of hidden) marks.fill(1, beginOf(match) - offset, at + 1 - back - offset)
    begins = sources.map((matches) =>
      matches.length === 1 ? beginOf(matches[0] ?? NEW) : Math.min(...matches.map(beginOf)),
    )
    state = to
  }

  return {
    push: (piece) => {
      const from = kept.length
      kept = Buffer.concat([kept, piece])
      const longer = new Uint8Array(kept.length)
      longer.set(marks)
      marks = longer
      for (let index = from; index < kept.length; index++) read(kept[index] ?? 0, offset + index)
      if (state === idle) return take(kept.length)
      return take(Math.min(...begins) - offset)
    },
    end: () => {
      state.matches.forEach(({ step }, match) => {
        if (step >= SHORTEST_REST) marks.fill(1, (begins[match] ?? offset) - offset)
      })
      state = idle
      return take(kept.length)
    },
  }
}

/** A position in the possible encodings of one character. */
interface Form {
  readonly id: number
  readonly depth: number
  readonly next: Map<number, Form>
  isWhole: boolean
}

/** A partial match of a needle: `step` characters, and the part of the next one that `form` gives. */
interface Match {
  readonly needle: number
  readonly step: number
  readonly form: Form
}

/** A set of partial matches. It excludes their offsets, which would multiply the states. */
interface State {
  readonly matches: readonly Match[]
  readonly moves: (Move | undefined)[]
}

/** The source of a match that begins with this byte. */
const NEW = -1

interface Move {
  readonly to: State
  /** For each match of `to`, the matches that lead to it; the longest counts. */
  readonly sources: readonly (readonly number[])[]
  /** The ranges to hide: from the start of the match to `back` bytes before the current end. */
  readonly hidden: readonly { readonly match: number; readonly back: number }[]
}

interface Matcher {
  /** The state without partial matches. */
  readonly idle: State
  move(state: State, byte: number): Move
}

/** Matches all needles in one pass. Transitions are computed lazily, so most bytes cost one lookup. */
function createMatcher(needles: readonly Needle[]): Matcher {
  const ready = readNeedles(needles)
  const states = new Map<string, State>()
  const idle: State = { matches: [], moves: [] }
  const first = ready.flatMap((forms, needle) => (forms[0] ? [{ needle, step: 0, form: forms[0] }] : []))

  function stateOf(matches: readonly Match[]): State {
    if (matches.length === 0) return idle
    const key = matches.map(placeOf).join(' ')
    const known = states.get(key)
    if (known) return known
    if (states.size >= MOST_STATES) forget()
    const state: State = { matches, moves: [] }
    states.set(key, state)
    return state
  }

  function forget(): void {
    for (const state of [idle, ...states.values()]) state.moves.length = 0
    states.clear()
  }

  function compute({ matches }: State, byte: number): Move {
    const next = new Map<string, { match: Match; sources: number[] }>()
    const hidden: { match: number; back: number }[] = []
    const add = (match: Match, source: number) => {
      const known = next.get(placeOf(match))
      if (known) known.sources.push(source)
      else next.set(placeOf(match), { match, sources: [source] })
    }
    const follow = (match: Match, source: number) => {
      const { needle, step, form } = match
      const further = form.next.get(byte)
      if (!further) {
        if (isTelling(match)) hidden.push({ match: source, back: form.depth + 1 })
        return
      }
      if (further.next.size > 0) add({ ...match, form: further }, source)
      if (!further.isWhole) return
      const following = ready[needle]?.[step + 1]
      if (following) add({ needle, step: step + 1, form: following }, source)
      else hidden.push({ match: source, back: 0 })
    }
    matches.forEach(follow)
    for (const match of first) if (match.form.next.has(byte)) follow(match, NEW)
    const found = [...next].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
    return {
      to: stateOf(found.map(({ match }) => match)),
      sources: found.map(({ sources }) => sources),
      hidden,
    }
  }

  /** Reports whether a match is long enough to hide. Most of a secret is, because servers quote the start of a refused key. */
  function isTelling({ needle, step }: Match): boolean {
    return step >= Math.max(SHORTEST, Math.ceil((ready[needle]?.length ?? 0) / 2))
  }

  return { idle, move: (state, byte) => (state.moves[byte] ??= compute(state, byte)) }
}

function placeOf({ needle, step, form }: Match): string {
  return `${needle}.${step}.${form.id}`
}

function readNeedles(needles: readonly Needle[]): readonly (readonly Form[])[] {
  const known = new Map<string, Form>()
  return needles.map((characters) =>
    characters.map((forms) => {
      const key = forms.join(' ')
      const form = known.get(key) ?? readForms(forms)
      known.set(key, form)
      return form
    }),
  )
}

function readForms(forms: readonly Buffer[]): Form {
  let count = 0
  const create = (depth: number): Form => ({ id: count++, depth, next: new Map(), isWhole: false })
  const root = create(0)
  for (const bytes of forms) {
    let form = root
    for (const byte of bytes) {
      const further = form.next.get(byte) ?? create(form.depth + 1)
      form.next.set(byte, further)
      form = further
    }
    form.isWhole = true
  }
  return root
}
