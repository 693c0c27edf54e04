import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, type ToolDefinition } from './tool.ts'
import { ToolProblemError, type ProblemKind } from './tool-problem.ts'
import { ToolRegistry } from './tool-registry.ts'

type Parts = Partial<ToolDefinition<object>>

const tool = (name: string, parts: Parts = {}) =>
  defineTool<object, z.ZodObject, z.ZodObject>({
    name,
    description: `Does ${name}.`,
    input: z.object({ text: z.string().optional() }),
    output: z.object({ text: z.string() }),
    effect: 'read',
    run: () => ({ text: name }),
    ...parts,
  })

let tools: ToolRegistry<object>
beforeEach(() => {
  tools = new ToolRegistry()
})

describe('a registry of tools', () => {
  it('lists tools by name in any order of registration, with the same bytes', () => {
    const names = ['zoo_feed', 'memo_get_all', 'memo_create']
    for (const name of names) tools.register(tool(name))
    const other = new ToolRegistry<object>()
    for (const name of names.toReversed()) other.register(tool(name))
    expect(tools.names()).toEqual(['memo_create', 'memo_get_all', 'zoo_feed'])
    expect(JSON.stringify(other.list())).toBe(JSON.stringify(tools.list()))
  })

  it('finds a tool by a former name, and lists only the current one', () => {
    tools.register(tool('memo_create', { formerNames: ['note_create', 'note_add'] }))
    expect(['memo_create', 'note_create', 'note_add'].map((name) => tools.find(name)?.name)).toEqual([
      'memo_create',
      'memo_create',
      'memo_create',
    ])
    expect([tools.names(), tools.categories()]).toEqual([['memo_create'], ['memo']])
    tools.disable('memo_create')
    expect(tools.find('note_add')).toBeUndefined()
  })

  it.each([
    ['takes a former name of another', tool('note_create')],
    ['had the name of another', tool('memo_make', { formerNames: ['memo_create'] })],
    ['had the former name of another', tool('memo_make', { formerNames: ['note_create'] })],
  ])('refuses a tool that %s', (_, other) => {
    tools.register(tool('memo_create', { formerNames: ['note_create'] }))
    expect(() => tools.register(other)).toThrow('another tool has this name')
  })

  it('drops the former names of a category in which one tool conflicts', () => {
    tools.register(tool('memo_taken'))
    const category = [tool('a_one', { formerNames: ['a_former'] }), tool('memo_taken')]
    expect(() => tools.registerCategory('memo', category)).toThrow('another tool')
    expect(tools.find('a_former')).toBeUndefined()
    tools.register(tool('a_former'))
  })

  it('derives category and command from the name', () => {
    tools.register(tool('memo_get_all'))
    expect(tools.findCommand('memo', 'get-all')?.name).toBe('memo_get_all')
    expect(tools.findCommand('memo', 'get_all')).toBeUndefined()
    expect(tools.categories()).toEqual(['memo'])
  })

  it('lets a tool choose its place on the command line, or none', () => {
    tools.register(tool('memo_create', { cli: { category: 'notes', name: 'new', about: 'Write it down.' } }))
    tools.register(tool('memo_sync', { cli: { hidden: true } }))
    expect(tools.findCommand('notes', 'new')?.command?.about).toBe('Write it down.')
    expect(tools.findCommand('memo', 'sync')).toBeUndefined()
    expect(tools.find('memo_sync')?.name).toBe('memo_sync')
    expect(tools.categories()).toEqual(['notes'])
  })

  it.each([[['memo_create', 'memo_new']], [['memo_new', 'memo_create']]])(
    'refuses a second tool with the same command, registered as %j',
    (order) => {
      const cases: Record<string, Parts> = { memo_create: {}, memo_new: { cli: { name: 'create' } } }
      const [first = '', second = ''] = order
      tools.register(tool(first, cases[first]))
      expect(() => tools.register(tool(second, cases[second]))).toThrow(ToolProblemError)
      expect(tools.names()).toEqual([first])
      expect(tools.validateAll().problems).toMatchObject([{ kind: 'NameConflict', tool: second }])
    },
  )

  it('lets a tool be a command of one word, which has no category', () => {
    tools.register(tool('memo_fetch', { cli: { word: 'fetch' } }))
    tools.register(tool('update', { cli: { word: 'up-date' } }))
    expect(tools.findCommand(undefined, 'fetch')?.name).toBe('memo_fetch')
    expect(tools.findCommand('memo', 'fetch')).toBeUndefined()
    expect(tools.commands()).toMatchObject([{ command: 'fetch' }, { command: 'up-date' }])
    expect(tools.commands().filter((command) => 'category' in command)).toEqual([])
    expect(tools.categories()).toEqual([])
  })

  it.each<[string, Parts, string, Parts]>([
    ['a word and the same word', { cli: { word: 'memo' } }, 'a_b', { cli: { word: 'memo' } }],
    ['a word and a category', { cli: { word: 'memo' } }, 'memo_list', {}],
    ['a word and a chosen category', { cli: { word: 'notes' } }, 'a_b', { cli: { category: 'notes' } }],
  ])('refuses %s, in either order', (_, parts, otherName, otherParts) => {
    const pair = [tool('x_y', parts), tool(otherName, otherParts)]
    for (const [first, second] of [pair, pair.toReversed()]) {
      const both = new ToolRegistry<object>()
      if (first) both.register(first)
      expect(() => second && both.register(second)).toThrow('NameConflict')
      expect(both.names()).toEqual([first?.name])
    }
  })

  it('accepts a word that is only the action of another command', () => {
    tools.register(tool('memo_list'))
    tools.register(tool('memo_all', { cli: { word: 'list' } }))
    expect(tools.names()).toEqual(['memo_all', 'memo_list'])
  })

  it('refuses a second tool with the same name and keeps the first', () => {
    tools.register(tool('memo_create', { effect: 'write' }))
    expect(() => tools.register(tool('memo_create'))).toThrow(
      "NameConflict: tool 'memo_create', name: another tool has this name; rename one of the two",
    )
    expect(tools.find('memo_create')?.effect).toBe('write')
  })

  it('registers a category completely or not at all', () => {
    tools.registerCategory('memo', [tool('memo_create'), tool('memo_list'), tool('wipe')])
    expect(tools.inCategory('memo').map(({ command }) => command?.command)).toEqual([
      'create',
      'list',
      'wipe',
    ])
    expect(() => tools.registerCategory('zoo', [tool('zoo_feed'), tool('memo_list')])).toThrow('NameConflict')
    expect(tools.find('zoo_feed')).toBeUndefined()
  })

  it('hides a disabled tool everywhere until it is enabled', () => {
    tools.register(tool('memo_create'))
    tools.disable('memo_create')
    expect([tools.find('memo_create'), tools.findCommand('memo', 'create')]).toEqual([undefined, undefined])
    expect([tools.names(), tools.list(), tools.commands(), tools.categories()]).toEqual([[], [], [], []])
    tools.enable('memo_create')
    expect(tools.names()).toEqual(['memo_create'])
    expect(() => tools.disable('memo_creat')).toThrow("There is no tool 'memo_creat'")
  })

  it('describes the effect of a tool', () => {
    for (const effect of ['read', 'write', 'destructive'] as const)
      tools.register(tool(`x_${effect}`, { effect }))
    expect(tools.list().map(({ annotations }) => annotations)).toEqual([
      { readOnlyHint: false, destructiveHint: true },
      { readOnlyHint: true },
      { readOnlyHint: false, destructiveHint: false },
    ])
  })

  it('exports schemas in the default dialect, closed and minimal', () => {
    tools.register(
      tool('memo_list', { input: z.object({ limit: z.int().min(1).default(20).describe('how many') }) }),
    )
    expect(tools.list()[0]?.inputSchema).toEqual({
      type: 'object',
      properties: { limit: { type: 'integer', minimum: 1, default: 20, description: 'how many' } },
      additionalProperties: false,
    })
  })
})

const record = z.record(z.string(), z.unknown())

const invalid: [ProblemKind, string, string, Parts][] = [
  ['SchemaValidation', 'input', 'memo_x', { input: z.object({ at: z.date() }) }],
  ['SchemaValidation', 'input', 'memo_x', { input: z.object({ at: z.bigint() }) }],
  ['SchemaValidation', 'input.tags', 'memo_x', { input: z.object({ tags: z.object({ a: z.string() }) }) }],
  ['SchemaValidation', 'input.tags', 'memo_x', { input: z.object({ tags: z.array(z.array(z.string())) }) }],
  ['SchemaValidation', 'input.tag', 'memo_x', { input: z.object({ tag: z.string().nullable() }) }],
  [
    'SchemaValidation',
    'input.tag',
    'memo_x',
    { input: z.object({ tag: z.union([z.string(), z.number()]) }) },
  ],
  ['SchemaValidation', 'input.two words', 'memo_x', { input: z.object({ 'two words': z.string() }) }],
  ['SchemaValidation', 'input.constructor', 'memo_x', { input: z.object({ constructor: z.string() }) }],
  ['SchemaValidation', 'input.json', 'memo_x', { input: z.object({ json: z.boolean() }) }],
  ['SchemaValidation', 'input.help', 'memo_x', { input: z.object({ help: z.string() }) }],
  ['SchemaValidation', 'input.no_color', 'memo_x', { input: z.object({ no_color: z.boolean() }) }],
  ['SchemaValidation', 'input.a_b', 'memo_x', { input: z.object({ aB: z.string(), a_b: z.string() }) }],
  [
    'SchemaValidation',
    'input.noCache',
    'memo_x',
    { input: z.object({ cache: z.boolean(), noCache: z.string() }) },
  ],
  [
    'SchemaValidation',
    'input.textFile',
    'memo_x',
    { input: z.object({ text: z.string(), textFile: z.string() }) },
  ],
  [
    'SchemaValidation',
    'input.limit',
    'memo_x',
    { input: z.object({ limit: z.int().meta({ default: 'many' }) }) },
  ],
  ['SchemaValidation', 'output', 'memo_x', { output: z.object({ at: z.bigint() }) }],
  [
    'SchemaValidation',
    'input.kind',
    'memo_x',
    { input: z.object({ kind: z.enum(['a']).default('b' as 'a') }) },
  ],
  ['SchemaValidation', 'input.limit', 'memo_x', { input: z.object({ limit: z.int().max(5).default(50) }) }],
  ['SchemaValidation', 'timeoutMs', 'memo_x', { timeoutMs: 3e9 }],
  ['SchemaValidation', 'timeoutMs', 'memo_x', { timeoutMs: 0 }],
  ['SchemaValidation', 'input', 'memo_x', { input: z.string() as unknown as z.ZodObject }],
  ['InvalidDescription', 'description', 'memo_x', { description: 7 as unknown as string }],
  [
    'InvalidDescription',
    'description',
    'memo_x',
    { description: 'Does it.\n\n## Examples\n\n```json\n{}\n' },
  ],
  ['MissingCliCategory', 'name', 'create', {}],
  ['InvalidCliName', 'name', 'memo__create', {}],
  ['InvalidCliName', 'name', 'Memo_create', {}],
  ['InvalidCliName', 'cli.category', 'memo_x', { cli: { category: 'my memos' } }],
  ['InvalidCliName', 'cli.name', 'memo_x', { cli: { name: '' } }],
  ['InvalidCliName', 'cli.word', 'memo_x', { cli: { word: '' } }],
  ['InvalidCliName', 'cli.word', 'memo_x', { cli: { word: 'two words' } }],
  ['InvalidCliName', 'cli.word', 'memo_x', { cli: { word: '-x' } }],
  ['InvalidCliName', 'cli.word', 'memo_x', { cli: { word: 'Fetch' } }],
  ['InvalidCliName', 'cli.word', 'memo_x', { cli: { word: 'fetch', category: 'memo' } }],
  ['InvalidCliName', 'cli.word', 'memo_x', { cli: { word: 'fetch', name: 'x' } }],
  ['InvalidCliName', 'cli.name', 'memo_x', { cli: { name: '--rm' } }],
  ['SchemaValidation', 'cli.rest', 'memo_x', { cli: { rest: 'text' } }],
  ['SchemaValidation', 'cli.rest', 'memo_x', { cli: { rest: 'nothing' } }],
  ['SchemaValidation', 'cli.rest', 'memo_x', { cli: { rest: 'constructor' } }],
  ['SchemaValidation', 'cli.input', 'memo_x', { cli: { input: 'text' } }],
  ['SchemaValidation', 'cli.input', 'memo_x', { cli: { input: 'nothing' } }],
  ['SchemaValidation', 'cli.input', 'memo_x', { cli: { input: 'a' }, input: z.object({ a: record }) }],
  [
    'SchemaValidation',
    'cli.input',
    'memo_x',
    { cli: { input: 'a' }, input: z.object({ a: record.default({ b: 1 }) }) },
  ],
  [
    'SchemaValidation',
    'input.b',
    'memo_x',
    { cli: { input: 'a' }, input: z.object({ a: record.optional(), b: record.optional() }) },
  ],
  ['InvalidDescription', 'description', 'memo_x', { description: ' \n' }],
  ['InvalidDescription', 'description', 'memo_x', { description: '# Only a heading' }],
  ['InvalidDescription', 'description', 'memo_x', { description: 'Rings \u0007 the bell.' }],
  ['InvalidDescription', 'description', 'memo_x', { description: 'x'.repeat(121) }],
  ['InvalidDescription', 'description', 'memo_x', { description: `Short.\n\n${'long '.repeat(2000)}` }],
  [
    'InvalidDescription',
    'description, example 1',
    'memo_x',
    { description: 'Does it.\n\n## Examples\n\n```json\n{"txt": 1}\n```\n' },
  ],
]

describe('validation', () => {
  it.each(invalid)('finds %s at %s of %s', (kind, place, name, parts) => {
    tools.register(tool('memo_fine'))
    tools.register(tool(name, parts))
    const report = tools.validateAll()
    const found = report.problems.find((problem) => problem.kind === kind && problem.place === place)
    expect(found, report.summary()).toMatchObject({ tool: name })
    expect(found?.suggestion).toMatch(/\w/)
    expect(report.summary()).toContain(`1 valid tool, 1 tool left out\n  ${kind}: tool '${name}', ${place}: `)
    expect(tools.names()).toEqual(['memo_fine'])
  })

  it('reports a required parameter that does not exist', () => {
    tools.register(tool('memo_x', { input: z.object({ a: z.string() }).meta({ required: ['a', 'b'] }) }))
    expect(tools.validateAll().problems).toMatchObject([{ kind: 'SchemaValidation', place: 'input.b' }])
  })

  it('accepts everything that a command line can express', () => {
    const input = z.object({
      text: z.string().min(1),
      kind: z.enum(['a', 'b']).default('a'),
      limit: z.int().max(100).default(20),
      ratio: z.number().optional(),
      deep: z.boolean().default(true),
      tags: z.array(z.string()).default([]),
      sizes: z.array(z.int()).optional(),
    })
    tools.register(tool('memo_x', { input }))
    expect(tools.validateAll().problems).toEqual([])
  })

  it.each<[string, z.ZodType]>([
    ['a record that is optional', record.optional()],
    ['a record that is empty by default', record.default({})],
    ['a loose object', z.looseObject({}).optional()],
  ])('accepts %s for --input', (_, args) => {
    tools.register(tool('memo_x', { input: z.object({ args }), cli: { input: 'args' } }))
    expect(tools.validateAll().problems).toEqual([])
    expect(tools.commands()).toMatchObject([{ input: 'args' }])
  })

  it('takes the description from the first line of prose, and the arguments of examples', () => {
    const description =
      '# Memo\n\nKeeps a memo.\nFor ever.\n\n## Examples\n\n```json\n{ "text": "hi" }\n```\n\n## More\n'
    tools.register(tool('memo_x', { description }))
    expect(tools.commands()).toMatchObject([{ about: 'Keeps a memo.', examples: [{ text: 'hi' }] }])
  })
})
