/** Values below this are not hidden: they stand in too many texts that have nothing to do with them. */
export const SHORTEST = 6

/** One text to find, character by character; each may be written in any of its forms. */
export type Needle = readonly (readonly Buffer[])[]

/**
 * What has to be found to hide these values: the values, their parts, and the base64 of each, alone or inside a longer
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

/** Of an address only what can be a key: its origin and words such as `messages` are in many answers. */
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

/** `user:password`, where a word is the base64 of that. */
function credentialsIn(word: string): readonly string[] {
  const text = Buffer.from(word, 'base64').toString('latin1')
  if (!/^[\x20-\x7e]+:[\x20-\x7e]*$/.test(text)) return []
  return [text, text.slice(text.indexOf(':') + 1)]
}

const bytes = (forms: readonly string[]) => [...new Set(forms)].map((form) => Buffer.from(form))

/** As it is, escaped in JSON, in JSON inside a JSON string, in a URL, twice in a URL, in HTML. */
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
 * The characters that depend on the secret alone, for each place where it can begin in a group of three bytes, and with
 * the last character as it is where the secret is the end of the text.
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
