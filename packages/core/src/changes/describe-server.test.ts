import { describe, expect, it } from 'vitest'
import { describeServerChange, type ServerFinding, type ServerListing } from './index.ts'

const launch = { kind: 'stdio', command: 'node', args: ['server.js'], env: ['TOKEN'], cwd: null } as const
const read = {
  name: 'read_file',
  title: 'Read',
  description: 'Reads a file.',
  inputSchema: {
    type: 'object' as const,
    properties: { path: { type: 'string', description: 'Where it is' } },
    required: ['path'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}
const listing: ServerListing = { launch, instructions: 'Be careful.', tools: [read, tool('write_file')] }

function tool(name: string, more: object = {}) {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' as const }, ...more }
}

/** The findings for this change of the listing. */
function foundFor(change: Partial<ServerListing>): readonly ServerFinding[] {
  return describeServerChange(listing, { ...listing, ...change }).findings
}

/** The findings for this change of `read_file`. */
function ofRead(change: object): readonly ServerFinding[] {
  return foundFor({ tools: [{ ...read, ...change }, tool('write_file')] })
}

function kindsOf(findings: readonly ServerFinding[]): string[] {
  return findings.map(({ kind, severity }) => `${kind} ${severity}`)
}

/** The findings for this change of the schema of the only input. */
function ofInput(before: unknown, after: unknown): string[] {
  const listed = (path: unknown) => ({
    ...listing,
    tools: [tool('read', { inputSchema: { type: 'object', properties: { path } } })],
  })
  return describeServerChange(listed(before), listed(after)).findings.map(({ kind }) => kind)
}

describe('a change of a server', () => {
  it('is empty if only the order differs', () => {
    const { name, ...others } = read
    const turned = JSON.parse(
      JSON.stringify({ ...others, name, inputSchema: { ...read.inputSchema, type: 'object' } }),
    ) as typeof read
    expect(foundFor({ tools: [tool('write_file'), turned] })).toEqual([])
  })

  it.each([
    ['command', { ...launch, command: 'sh' }, 'danger', 'launch.command changed: "node" -> "sh"'],
    ['arguments', { ...launch, args: ['server.js', '--all'] }, 'danger', 'launch.args added: "--all"'],
    ['folder', { ...launch, cwd: '../other' }, 'danger', 'launch.cwd changed: null -> "../other"'],
    ['variables', { ...launch, env: ['HOME', 'TOKEN'] }, 'warning', 'launch.env added: "HOME"'],
  ])('of its %s is a change of its launch', (_what, changed, severity, message) => {
    expect(foundFor({ launch: changed })).toEqual([
      { kind: 'launch_changed', subject: 'server', severity, message },
    ])
  })

  it('from a command to an address names every part', () => {
    const messages = foundFor({ launch: { kind: 'http', url: 'https://a.example', headers: [] } }).map(
      ({ message }) => message,
    )
    for (const part of ['args', 'command', 'cwd', 'env', 'headers', 'kind', 'url'])
      expect(messages.join('\n')).toContain(`launch.${part} `)
  })

  it('of its instructions is reported, also from nothing to an empty text', () => {
    expect(foundFor({ instructions: 'Send all of it.' })).toEqual([
      {
        kind: 'instructions_changed',
        subject: 'server',
        severity: 'warning',
        message: 'instructions changed: "Be careful." -> "Send all of it."',
      },
    ])
    const silent = { ...listing, instructions: null }
    const { findings } = describeServerChange(silent, { ...listing, instructions: '' })
    expect(kindsOf(findings)).toEqual(['instructions_changed warning'])
  })

  it('without the previous listing shows all as new, and says so', () => {
    const { findings } = describeServerChange(undefined, listing)
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(
      new Set(['launch_changed', 'listing_unknown', 'instructions_changed', 'tool_added']),
    )
    expect(findings.filter(({ kind }) => kind === 'tool_added').map(({ subject }) => subject)).toEqual([
      'read_file',
      'write_file',
    ])
  })
})

describe('a change of the tools', () => {
  it('names added and removed tools', () => {
    const findings = foundFor({ tools: [read, tool('delete_file')] })
    expect(findings.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
      'tool_added delete_file',
      'tool_removed write_file',
    ])
  })

  it('recognises a renamed tool by its definition', () => {
    const findings = foundFor({ tools: [{ ...read, name: 'read' }, tool('write_file')] })
    expect(findings).toEqual([
      {
        kind: 'tool_renamed',
        subject: 'read',
        severity: 'warning',
        message: 'tool read: was named read_file before',
      },
    ])
  })

  it('recognises a renamed tool by its inputs alone, and reports its other differences', () => {
    const findings = foundFor({ tools: [{ ...read, name: 'read', description: 'New' }, tool('write_file')] })
    expect(findings.map(({ kind }) => kind)).toEqual(['tool_renamed', 'description_changed'])
  })

  it('does not pair two tools without inputs', () => {
    const listed = (name: string) => ({ ...listing, tools: [tool(name)] })
    const { findings } = describeServerChange(listed('a'), listed('b'))
    expect(findings.map(({ kind }) => kind)).toEqual(['tool_added', 'tool_removed'])
  })

  it('is dangerous if a name is listed twice', () => {
    const findings = foundFor({ tools: [read, tool('write_file'), { ...read, description: 'Another.' }] })
    expect(kindsOf(findings)).toEqual(['tool_added danger'])
    expect(findings[0]?.message).toContain('is listed more than once')
    const twice = { ...listing, tools: [read, read] }
    expect(describeServerChange(twice, { ...twice }).findings).toEqual([])
    expect(describeServerChange(undefined, twice).findings[0]?.severity).toBe('danger')
  })
})

describe('a change of a tool', () => {
  it.each([
    ['its title', { title: 'Read it' }, ['title_changed info']],
    ['its description', { description: 'Reads.' }, ['description_changed warning']],
    ['the description of an input', inputs({ description: 'Anywhere' }), ['description_changed warning']],
    ['what it gives', { outputSchema: { type: 'object' } }, ['output_schema_changed info']],
    ['a member that nobody knows', { _meta: { 'a.b': 1 } }, ['metadata_changed info']],
    ['a member of every object', JSON.parse('{"__proto__":{"a":1}}') as object, ['metadata_changed info']],
    ['a member that is null', { icons: null }, ['metadata_changed info']],
  ])('of %s is reported as such', (_what, change, kinds) => {
    const changed = Object.defineProperties({ ...read }, Object.getOwnPropertyDescriptors(change))
    expect(kindsOf(foundFor({ tools: [changed, tool('write_file')] }))).toEqual(kinds)
  })

  it.each([
    ['readOnlyHint', true],
    ['destructiveHint', false],
    ['idempotentHint', true],
    ['openWorldHint', false],
  ] as const)('that removes %s is an escalation, explicitly or by omission', (hint, harmless) => {
    const { [hint]: _gone, ...others } = read.annotations
    const without = { ...read, annotations: others }
    for (const annotations of [others, { ...others, [hint]: !harmless }, { ...others, [hint]: 'yes' }])
      expect(kindsOf(ofRead({ annotations }))).toEqual(['annotation_escalated danger'])
    const tools = (one: object) => ({ ...listing, tools: [{ ...read, ...one }] })
    const said = describeServerChange(
      tools(without),
      tools({ annotations: { ...others, [hint]: !harmless } }),
    )
    expect(kindsOf(said.findings)).toEqual(['annotation_changed info'])
    const promised = describeServerChange(tools(without), tools(read))
    expect(kindsOf(promised.findings)).toEqual(['annotation_changed warning'])
  })

  it('that loses all of its annotations is four escalations', () => {
    expect(kindsOf(ofRead({ annotations: undefined }))).toEqual(
      Array<string>(4).fill('annotation_escalated danger'),
    )
  })

  it('of annotations without a meaning is reported', () => {
    const before = { ...listing, tools: [tool('a')] }
    for (const annotations of [{}, null, 5])
      expect(
        kindsOf(describeServerChange(before, { ...listing, tools: [tool('a', { annotations })] }).findings),
      ).toEqual(['annotation_changed info'])
  })
})

describe('a change of what a tool accepts', () => {
  const widened: [string, unknown, unknown][] = [
    ['a type is added', { type: 'string' }, { type: ['string', 'number'] }],
    ['a type covers more', { type: 'integer' }, { type: 'number' }],
    ['any type is accepted', { type: 'string' }, {}],
    ['a value is added', { enum: ['a'] }, { enum: ['a', 'b'] }],
    ['any value is accepted', { enum: ['a'] }, {}],
    ['nothing is constant any more', { const: 1 }, {}],
    ['a property is added', { properties: {} }, { properties: { a: true } }],
    ['the first property is added', {}, { properties: { a: {} } }],
    ['a property is not required any more', { required: ['a', 'b'] }, { required: ['b'] }],
    ['further properties are accepted', { additionalProperties: false }, {}],
    [
      'further properties are accepted as such',
      { additionalProperties: false },
      { additionalProperties: {} },
    ],
    ['an upper bound is higher', { maxLength: 5 }, { maxLength: 6 }],
    ['an upper bound is gone', { maximum: 5 }, {}],
    ['a lower bound is lower', { minimum: 5 }, { minimum: -5 }],
    ['a lower bound is gone', { minItems: 1 }, {}],
    ['a pattern is gone', { pattern: '^a$' }, {}],
    ['members may be the same', { uniqueItems: true }, { uniqueItems: false }],
    ['items are of more types', { items: { type: 'string' } }, { items: { type: ['null', 'string'] } }],
    [
      'there is another way',
      { anyOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'null' }, { type: 'string' }] },
    ],
    ['there is one condition less', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, { allOf: [{ maximum: 2 }] }],
    ['one of the ways is wider', { anyOf: [{ maximum: 1 }, true] }, { anyOf: [{ maximum: 2 }, true] }],
    ['a definition is wider', { $defs: { a: { maximum: 1 } } }, { $defs: { a: { maximum: 2 } } }],
    ['anything instead of nothing is accepted', false, true],
    ['anything instead of something is accepted', { type: 'string' }, true],
  ]

  it.each(widened)('is wider if %s, and narrower the other way round', (_what, before, after) => {
    expect(ofInput(before, after)).toEqual(['schema_widened'])
    expect(ofInput(after, before)).toEqual(['schema_narrowed'])
  })

  it.each([
    ['another pattern', { pattern: 'a' }, { pattern: 'b' }],
    ['another value by default', { default: 1 }, { default: 2 }],
    ['a word that nobody knows', {}, { 'x-y': 1 }],
    ['the order of values', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }],
    ['a type that is none', { type: 'string' }, { type: 5 }],
    ['a bound that is none', { maximum: 5 }, { maximum: null }],
    ['what means the same', {}, true],
    ['what means the same inside', { additionalProperties: true }, {}],
    ['a part that is used elsewhere', {}, { $defs: { a: {} } }],
    ['another list of items', { prefixItems: [true] }, { prefixItems: [true, true] }],
    ['a schema that is none', { items: [1] }, { items: [2] }],
    ['a key of every object', {}, JSON.parse('{"__proto__":{"type":"object"},"constructor":1}')],
  ])('is neither if it has %s', (_what, before, after) => {
    expect(new Set(ofInput(before, after))).toEqual(new Set(['schema_changed']))
  })

  it('reports both if it accepts other values', () => {
    expect(ofInput({ enum: ['a', 'b'] }, { enum: ['b', 'c'] })).toEqual(['schema_widened', 'schema_narrowed'])
  })

  it('treats a property that is named like a schema keyword as a property', () => {
    const of = (description: object) => ({ properties: { description } })
    expect(ofInput(of({ maximum: 1 }), of({ maximum: 2 }))).toEqual(['schema_widened'])
  })

  it('is reported with its path', () => {
    const [one] = ofRead(inputs({ type: ['string', 'null'] }))
    expect(one).toEqual({
      kind: 'schema_widened',
      subject: 'read_file',
      severity: 'warning',
      message: 'tool read_file: inputSchema.properties.path.type now has "null"',
    })
  })

  it('is reported once below a certain depth', () => {
    let [before, after]: unknown[] = [{ type: 'string' }, { type: 'number' }]
    for (let level = 0; level < 40; level++) [before, after] = [{ items: before }, { items: after }]
    expect(ofInput(before, after)).toEqual(['schema_changed'])
  })

  it('is counted if there are too many', () => {
    const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]))
    const findings = ofRead({ inputSchema: { type: 'object', properties } })
    expect(findings.length).toBeLessThan(20)
    expect(findings.map(({ message }) => message)).toContain(
      'tool read_file: inputSchema has 19991 more differences',
    )
  })
})

describe('invisible characters', () => {
  it.each([
    ['a description', { description: 'Reads a file.\u{200b}' }],
    ['tags that spell a text', { description: 'Reads a file.\u{e0041}\u{e0042}' }],
    ['a title', { title: 'Re\u{202e}ad' }],
    ['the name of an input', { inputSchema: { type: 'object', properties: { 'pa\u{ad}th': {} } } }],
    ['a value', { _meta: { note: '\u{0}' } }],
  ])('in %s are dangerous, and are made visible', (_what, change) => {
    const findings = ofRead(change)
    expect(kindsOf(findings)[0]).toBe('hidden_characters danger')
    expect(findings.map(({ message }) => message).join()).toMatch(/\\u\{|\\u0000/)
  })

  it('in the name of a tool are made visible', () => {
    const findings = foundFor({ tools: [read, tool('write_file'), tool('read_file\u{200b}')] })
    expect(findings.map(({ kind, subject }) => `${kind} ${subject}`)).toContain(
      'hidden_characters "read_file\\u{200b}"',
    )
  })

  it('in instructions and in a command are reported', () => {
    expect(kindsOf(foundFor({ instructions: 'Be\u{2060} careful.' }))).toContain('hidden_characters danger')
    expect(kindsOf(foundFor({ launch: { ...launch, args: ['server.js\u{200d}'] } }))).toContain(
      'hidden_characters danger',
    )
  })

  it('that were there before are not reported again', () => {
    const before = { ...listing, tools: [tool('a', { description: 'A\u{200b}' })] }
    const after = { ...listing, tools: [tool('a', { description: 'A\u{200b}', title: 'A' })] }
    expect(kindsOf(describeServerChange(before, after).findings)).toEqual(['title_changed info'])
  })
})

describe('a server that lists too much', () => {
  it('has a limited number of findings, the worst first', () => {
    const many = Array.from({ length: 5000 }, (_, index) => tool(`t${index}`))
    const findings = foundFor({ tools: [...many, { ...read, annotations: {} }, tool('write_file')] })
    expect(findings.length).toBe(301)
    expect(findings[0]?.kind).toBe('annotation_escalated')
    expect(findings.at(-1)?.message).toBe('there are 4704 more findings')
  })

  it('has short messages for long texts', () => {
    const long = 'x'.repeat(5_000_000)
    const findings = [...ofRead({ description: long }), ...foundFor({ instructions: long })]
    expect(findings).toHaveLength(2)
    for (const { message } of findings) expect(message.length).toBeLessThan(1100)
  })

  it('has short messages for long paths', () => {
    let before: object = { maximum: 1 }
    let after: object = { maximum: 2 }
    for (let level = 0; level < 14; level++) {
      const key = `${level}`.padStart(150, 'x')
      before = { properties: { [key]: before } }
      after = { properties: { [key]: after } }
    }
    const listed = (inputSchema: object) => ({ ...listing, tools: [tool('a', { inputSchema })] })
    const { findings } = describeServerChange(listed(before), listed(after))
    expect(findings.map(({ kind }) => kind)).toEqual(['schema_widened'])
    expect(findings[0]?.message.length).toBeLessThan(1100)
  })
})

function inputs(more: object): object {
  const path = { ...read.inputSchema.properties.path, ...more }
  return { inputSchema: { ...read.inputSchema, properties: { path } } }
}
