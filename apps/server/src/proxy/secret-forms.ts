/** Shorter values are not hidden, because they occur in unrelated text. */
export const SHORTEST = 6

/** A text to find: for each character, its possible encodings. */
export type Needle = readonly (readonly Buffer[])[]

/**
 * Returns the needles that hide these values: the values, their parts, and the base64 of each, alone or inside a longer
 * text such as `user:secret`.
 */
export function needlesOf(values: readonly string[]): readonly Needle[] {
  const secrets = new Set(values.flatMap(partsOf).filter((part) => part.length >= SHORTEST))
  return [...secrets].flatMap((secret) => [
    [...secret].map((char) => formsOf(char)),
    ...base64Of(secret).map((text) => [...text].map(base64FormsOf)),
  ])
}

const scheme = /^(?:bearer|basic|token|digest|negotiate|apikey)$/i

function partsOf(value: string): readonly string[] {
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) return partsOfUrl(new URL(value))
  const words = value.split(/\s+/).filter((word) => !scheme.test(word))
  return [value, ...words, ...words.flatMap(credentialsIn)]
}

/** Returns the parts of a URL that can be a key. Its origin and words such as `messages` occur in many responses. */
function partsOfUrl({ username, password, pathname, search }: URL): readonly string[] {
  const named = [...new URLSearchParams(search).values()]
  const segments = pathname.split('/').filter((segment) => /\d/.test(segment) || segment.length >= 16)
  return [username, password, ...named, ...segments].flatMap((part) => [part, decoded(part)])
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns user and password if the word is the base64 of `user:password`. */
function credentialsIn(word: string): readonly string[] {
  const text = Buffer.from(word, 'base64').toString('latin1')
  if (!/^[\x20-\x7e]+:[\x20-\x7e]*$/.test(text)) return []
  return [text, text.slice(text.indexOf(':') + 1)]
}

const bytes = (forms: readonly string[]) => [...new Set(forms)].map((form) => Buffer.from(form))

/** Returns a character's encodings: plain, in JSON, in nested JSON, percent-encoded once and twice, in HTML. */
function formsOf(char: string, others: readonly string[] = []): readonly Buffer[] {
  const hex = char.charCodeAt(0).toString(16).padStart(2, '0')
  const escapes = [hex, hex.toUpperCase()].flatMap((code) => [
    `%${code}`,
    `%25${code}`,
    `\\u00${code}`,
    `\\\\u00${code}`,
  ])
  return bytes([char, ...escapes, ...(named[char] ?? []), ...others])
}

const named: Readonly<Record<string, readonly string[]>> = {
  '"': ['\\"', '\\\\\\"', '&quot;', '&#34;'],
  '\\': ['\\\\', '\\\\\\\\'],
  '/': ['\\/', '\\\\/'],
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  "'": ['&#39;', '&#x27;'],
  ' ': ['+'],
  '\t': ['\\t', '\\\\t'],
}

function base64FormsOf(char: string): readonly Buffer[] {
  return formsOf(char, char === '+' ? ['-'] : char === '/' ? ['_'] : [])
}

/**
 * Returns the base64 characters that depend only on the secret, for each offset in a group of three bytes, and with the
 * last character in case the secret ends the text.
 */
function base64Of(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.from('\0'.repeat(before) + secret)
      .toString('base64')
      .replace(/=+$/, '')
    const own = text.slice(Math.ceil((before * 8) / 6))
    const isWhole = (before + secret.length) % 3 === 0
    return isWhole ? [own] : [own.slice(0, -1), own]
  })
}
