import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listingBytes } from './server-listing.ts'
import { describeServerChange, printServerChange, showInvisible, type ServerListing } from './index.ts'

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '\n', '\r', ' ', '\u{200b}', '\u{e0041}', '😀', '"'),
    maxLength: 20,
  }),
  fc.constantFrom('a', 'b', '', 'toString', '__proto__'),
)
const json = fc.jsonValue({ maxDepth: 3 })
const keyword = fc.constantFrom(
  'type',
  'enum',
  'const',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'prefixItems',
  'anyOf',
  'allOf',
  'oneOf',
  'not',
  '$defs',
  'maximum',
  'minLength',
  'pattern',
  'uniqueItems',
  'description',
  'default',
  '__proto__',
)
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.boolean(),
    fc.dictionary(
      keyword,
      fc.oneof(
        json,
        fc.constantFrom('string', 'number', 'integer', ['string'], 1, 2, null),
        tie('schema'),
        fc.array(tie('schema'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema'), { maxKeys: 3 }),
      ),
      { maxKeys: 4 },
    ),
  ),
}))
const annotations = fc.oneof(
  json,
  fc.dictionary(
    fc.constantFrom('readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint', 'title', 'other'),
    fc.oneof(fc.boolean(), json),
  ),
)
const tool = fc
  .record(
    {
      name: fc.oneof(fc.constantFrom('a', 'b', 'c'), text),
      title: fc.oneof(text, fc.constant(null)),
      description: fc.oneof(text, fc.constant(null)),
      inputSchema: schema,
      outputSchema: schema,
      annotations,
      _meta: json,
      ['constructor']: json,
    },
    { requiredKeys: ['name', 'inputSchema'] },
  )
  .map((one) => one as unknown as ServerListing['tools'][number])
const launch = fc.oneof(
  fc.record({
    kind: fc.constant('stdio' as const),
    command: text,
    args: fc.array(text, { maxLength: 3 }),
    env: fc.array(fc.constantFrom('A', 'B'), { maxLength: 2 }),
    cwd: fc.option(text),
  }),
  fc.record({
    kind: fc.constant('http' as const),
    url: text,
    headers: fc.array(fc.constantFrom('A', 'B'), { maxLength: 2 }),
  }),
)
const listing: fc.Arbitrary<ServerListing> = fc.record({
  launch,
  instructions: fc.option(text),
  tools: fc.array(tool, { maxLength: 4 }),
})
/** A listing, and another that shares most of its parts. */
const near = fc
  .tuple(listing, listing, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), tool, schema)
  .map(([before, other, [a, b, c, d], added, inputSchema]) => {
    const [first, ...tools] = before.tools
    const changed = first
      ? [{ ...first, ...(d && { inputSchema: inputSchema as typeof first.inputSchema }) }]
      : []
    const after: ServerListing = {
      launch: a ? before.launch : other.launch,
      instructions: b ? before.instructions : other.instructions,
      tools: [...changed, ...tools, ...(c ? [] : [added])],
    }
    return [before, after] as const
  })

const hashed = (one: ServerListing) => Buffer.from(listingBytes(one)).toString('utf8')

describe('for any two listings', () => {
  it('there is a finding exactly if their bytes differ', () => {
    const pairs = fc.oneof(near, fc.tuple(listing, listing))
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const { findings } = describeServerChange(before, after)
        expect(findings.length > 0).toBe(hashed(before) !== hashed(after))
      }),
      { numRuns: 2000 },
    )
  })

  it('another order gives no finding', () => {
    fc.assert(
      fc.property(listing, (before) => {
        const turned = { ...before, tools: before.tools.toReversed().map(turnKeys) }
        expect(describeServerChange(before, turned as ServerListing).findings).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('every finding and its print are one line without invisible characters', () => {
    fc.assert(
      fc.property(fc.option(listing, { nil: undefined }), listing, (before, after) => {
        const change = describeServerChange(before, after)
        for (const { subject, message } of change.findings)
          for (const line of [subject, message])
            expect(line).toBe(showInvisible(line).replaceAll(/[\r\n]/g, ''))
        const printed = printServerChange(change, { before, after })
        expect(printed).toBe(showInvisible(printed))
        expect(printed).not.toContain('\r')
        expect(printed).toContain(change.findings[0]?.kind ?? 'Nothing changed')
      }),
      { numRuns: 300 },
    )
  })
})

function turnKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, turnKeys(member)]),
  )
}
