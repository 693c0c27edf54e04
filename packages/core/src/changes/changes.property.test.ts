import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonValue } from '../canonical-json.ts'
import { describeChange, printChange, showInvisible, type Change, type Release } from './index.ts'

const oddText = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    '\n',
    '\r',
    '\r\n',
    '\t',
    ' ',
    '\u{200b}',
    '\u{202e}',
    '\u{e0041}',
    '😀',
    '\\',
    '"',
    '{',
  ),
  maxLength: 60,
})
const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }).map((value) => JSON.stringify(value))
const document = fc
  .dictionary(
    fc.constantFrom('install', 'tools', 'proxyTo', 'type', '__proto__', 'a.b'),
    fc.jsonValue({ maxDepth: 3 }),
  )
  .map((value) => canonicalJson(JSON.parse(JSON.stringify(value)) as JsonValue))
const lock = fc
  .dictionary(
    fc.oneof(fc.constantFrom('', 'node_modules/a', '__proto__', 'toString'), fc.string({ unit: 'binary' })),
    fc.oneof(
      fc.record(
        {
          version: fc.constantFrom('1.0.0', '2.0.0', '\u{ad}'),
          integrity: fc.constantFrom('x', 'y'),
          link: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue({ maxDepth: 2 }),
    ),
  )
  .map((packages) => JSON.stringify({ packages }))
const text = fc.oneof(oddText, json, document, lock, fc.string({ unit: 'binary' }))
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  text.map((value) => Uint8Array.from(Buffer.from(value))),
)
const release: fc.Arbitrary<Release> = fc.record(
  {
    type: fc.constantFrom('deno', 'stdio', 'http'),
    routing: fc.constantFrom('client', 'server'),
    bytes,
    tree: bytes,
  },
  { requiredKeys: ['type', 'routing', 'bytes'] },
)

describe('for any two releases', () => {
  it('a change can be described and printed without invisible characters', () => {
    fc.assert(
      fc.property(fc.option(release, { nil: undefined }), release, (before, after) => {
        const change = describeChange(before, after)
        const texts = [
          ...change.warnings,
          ...change.fields.map(({ path }) => path),
          change.code?.unified ?? '',
        ]
        for (const text of [printChange(change), ...texts]) {
          expect(text).toBe(showInvisible(text))
          expect(text).not.toContain('\r')
        }
        expect(printChange(change)).toBe(printChange(describeChange(before, after)))
      }),
      { numRuns: 1000 },
    )
  })

  it('one changed byte in the content or in the tree is a change', () => {
    const flip = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) })
    fc.assert(
      fc.property(release, flip, fc.constantFrom('bytes', 'tree'), (before, { at, by }, where) => {
        const whole = before[where] ?? new Uint8Array()
        fc.pre(whole.length > 0)
        const other = whole.map((byte, index) => (index === at % whole.length ? byte ^ by : byte))
        expectChange(describeChange(before, { ...before, [where]: other }))
      }),
      { numRuns: 2000 },
    )
  })

  it('two different documents have a field that differs', () => {
    fc.assert(
      fc.property(document, document, (a, b) => {
        fc.pre(a !== b)
        const [before, after] = [a, b].map(
          (content) => ({ type: 'http', routing: 'client', bytes: Buffer.from(content) }) as const,
        )
        expect(after && describeChange(before, after).fields.length).toBeGreaterThan(0)
      }),
      { numRuns: 1000 },
    )
  })

  it('applying the diff to the old text gives the new one', () => {
    const lines = fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })
      .map((all) => all.map((line) => `${line}\n`).join(''))
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const [before, after] = [a, b].map(
          (content) => ({ type: 'deno', routing: 'client', bytes: Buffer.from(content) }) as const,
        )
        expect(after && applyTo(a, describeChange(before, after).code?.unified ?? '')).toBe(b)
      }),
      { numRuns: 1000 },
    )
  })
})

function expectChange(change: Change): void {
  expect(
    change.code !== undefined ||
      change.fields.length > 0 ||
      change.warnings.length > 0 ||
      hasPackages(change),
  ).toBe(true)
  expect(printChange(change)).not.toBe('Nothing changed\n')
}

function hasPackages({ packages }: Change): boolean {
  const { added = [], removed = [], bumped = [], rehashed = [] } = packages ?? {}
  return [...added, ...removed, ...bumped, ...rehashed].length > 0
}

/** Applies a diff as `patch` does: every hunk at the line in its header. */
function applyTo(text: string, unified: string): string {
  const rest = text.match(/.*\n/g) ?? []
  const made: string[] = []
  let taken = 0
  for (const line of unified.match(/.*\n/g) ?? []) {
    const head = /^@@ -(\d+),(\d+) /.exec(line)
    if (head) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1)
      made.push(...rest.slice(taken, start))
      taken = start
    } else if (line.startsWith('+')) made.push(line.slice(1))
    else {
      expect(rest[taken]).toBe(line.slice(1))
      if (line.startsWith(' ')) made.push(line.slice(1))
      taken++
    }
  }
  return [...made, ...rest.slice(taken)].join('')
}
