import { PmlError } from '../errors.ts'
import { hexOf, type Integrity } from '../integrity.ts'

interface TokenParts {
  readonly specialist: string
  /** `YYYYMMDD` */
  readonly date: string
  readonly contentHash: Integrity
  /** At least 80 random bits as lower-case hex. */
  readonly random: string
}

/**
 * `SPECIALIST-YYYYMMDD-XXXXXXXX-yyyyyy…` in ASCII. Look-alike letters, spaces, quotes and brackets are invalid, so a marker,
 * which no hash covers, cannot contain anything with a meaning.
 */
const tokenPattern = /^([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*)-[0-9]{8}-[0-9A-Fa-f]{8}-[0-9A-Za-z]{6,128}$/

const LONGEST_TOKEN = 200
const SHORTEST_RANDOM = 20

export function isToken(text: string): boolean {
  return findSpecialist(text) !== undefined
}

/** The specialist who gave the token, as `specialistName` writes it. */
export function findSpecialist(token: string): string | undefined {
  return token.length > LONGEST_TOKEN ? undefined : tokenPattern.exec(token)?.[1]
}

export function printToken({ specialist, date, contentHash, random }: TokenParts): string {
  if (random.length < SHORTEST_RANDOM || !/^[0-9a-f]+$/.test(random))
    throw new TypeError(`Cannot print a token: expected at least ${SHORTEST_RANDOM} random hex characters`)
  const token = `${specialistName(specialist)}-${date}-${hexOf(contentHash).slice(0, 8)}-${random}`
  if (isToken(token)) return token
  const expected = 'expected a name of ASCII letters, digits, spaces, - and _ that starts with a letter'
  throw new PmlError('bad_request', `Cannot print a token for ${JSON.stringify(specialist)}: ${expected}`)
}

/** "Test Guard", "test-guard" and "TEST_GUARD" are one specialist. Letters beyond ASCII never match ASCII letters. */
export function specialistSlug(name: string): string {
  const dashed = name.replaceAll(/[ _-]+/g, '-').replaceAll(/^-|-$/g, '')
  return dashed.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The slug in tokens and markers. */
export function specialistName(name: string): string {
  return specialistSlug(name).replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
}
