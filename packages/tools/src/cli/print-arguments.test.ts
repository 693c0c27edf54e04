import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { commandOf } from '../../test/memo-tools.ts'
import { defineTool, ToolRegistry, type JsonObject } from '../index.ts'
import type { Command } from '../ready-tool.ts'
import type { CommandOptions } from '../tool.ts'
import { reservedFlags } from '../parameters.ts'
import { flagKindsOf } from './flag-kinds.ts'
import { globalKindsOf } from './global-flags.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { printArguments, printCommandLine } from './print-arguments.ts'
import { splitArguments } from './split-arguments.ts'

interface Shape {
  readonly schema: z.ZodType
  readonly value: fc.Arbitrary<unknown>
}

const awkward = [
  '',
  '-',
  '--',
  '--x',
  '--input=-',
  '-5',
  '=',
  ' ',
  'a\nb',
  '$(x)',
  "it's",
  'ünï 🦊',
  '0',
  'true',
]
const text = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', '')),
)
/** JSON has no negative zero. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => any + 0)

const scalars: fc.Arbitrary<Shape> = fc.oneof(
  fc.constant({ schema: z.string(), value: text }),
  fc.constant({ schema: z.int(), value: fc.maxSafeInteger() }),
  fc.constant({ schema: z.number(), value: number }),
  fc.constant({ schema: z.boolean(), value: fc.boolean() }),
  fc
    .uniqueArray(text, { minLength: 1, maxLength: 4 })
    .map((choices) => ({ schema: z.enum(choices), value: fc.constantFrom(...choices) })),
  fc
    .uniqueArray(fc.integer(), { minLength: 1, maxLength: 3 })
    .map((choices) => ({ schema: z.literal(choices), value: fc.constantFrom(...choices) })),
)

const shapes: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 2, arbitrary: scalars },
  {
    weight: 1,
    arbitrary: scalars.map(({ schema, value }) => ({
      schema: z.array(schema),
      value: fc.array(value, { maxLength: 4 }),
    })),
  },
)

/** Names that collide with each other's flags or with global flags: validation must refuse them. */
const name = fc.oneof(
  fc.constantFrom(
    'text',
    'textFile',
    'noCache',
    'cache',
    'aB',
    'a_b',
    'input',
    'HTTPPort',
    'x1',
    '__proto__',
    'toString',
  ),
  fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,8}(_[a-z0-9]{1,4})?$/),
)

interface Case {
  readonly command: Command
  readonly args: JsonObject
}

/** A valid tool, and arguments that its own schema accepts. */
const cases: fc.Arbitrary<Case> = fc
  .dictionary(name, fc.record({ shape: shapes, isRequired: fc.boolean() }), {
    maxKeys: 6,
    noNullPrototype: true,
  })
  .map((all) => Object.entries(all))
  .chain((entries) => {
    const input = z.object(
      Object.fromEntries(
        entries.map(([key, { shape, isRequired }]) => [
          key,
          isRequired ? shape.schema : shape.schema.optional(),
        ]),
      ),
    )
    const command = findCommand(input)
    if (!command) return fc.constant(undefined)
    const values = Object.fromEntries(entries.map(([key, { shape }]) => [key, shape.value]))
    const requiredKeys = entries.filter(([, { isRequired }]) => isRequired).map(([key]) => key)
    return fc.record(values, { requiredKeys, noNullPrototype: true }).map((args) => ({ command, args }))
  })
  .filter((found) => found !== undefined)

function findCommand(input: z.ZodObject, cli: CommandOptions = {}): Command | undefined {
  const tools = new ToolRegistry<object>()
  tools.register(
    defineTool({
      name: 'any_thing',
      description: 'Does anything.',
      input,
      output: z.object({}),
      effect: 'read',
      cli,
      run: () => ({}),
    }),
  )
  return tools.commands()[0]
}

function parse(command: Command, argv: string[], stdin = ''): Promise<JsonObject> {
  const { rest: _, ...split } = splitArguments(argv, { kinds: flagKindsOf(command, { flags: [] }) })
  const read = () => Promise.resolve(new TextEncoder().encode(stdin))
  const io = { read, print: () => {}, tell: () => {}, width: undefined, hasColor: false }
  return parseCommandLine({ ...split, command, io })
}

describe('any valid tool can be called from the command line', () => {
  it('by flags', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ command, args }) => {
        expect(await parse(command, printArguments(command, args))).toEqual(args)
      }),
      { numRuns: 500 },
    )
  })

  it('by a JSON object', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ command, args }) => {
        expect(await parse(command, ['--input', '-'], JSON.stringify(args))).toEqual(args)
      }),
    )
  })
})

describe('parameters with a special place', () => {
  const list = z.array(z.string())

  it('round-trip as words, for any values', async () => {
    for (const [required, input] of [
      [['me'], z.object({ by: z.string(), names: list.optional(), deep: z.boolean().optional() })],
      [[], z.object({ names: list, by: z.string().optional() })],
    ] as const) {
      const command = findCommand(input, { word: 'all', rest: 'names' })
      const items = fc.array(text, { minLength: 1 })
      await fc.assert(
        fc.asyncProperty(items, async (names) => {
          const args = { ...(required.length > 0 && { by: 'me' }), names }
          expect(command && (await parse(command, ['--', ...required, ...names]))).toEqual(args)
          expect(command && (await parse(command, printArguments(command, args)))).toEqual(args)
        }),
      )
    }
  })

  it('round-trip through --input, for any content', async () => {
    const args = z.record(z.string(), z.unknown()).optional()
    const command = findCommand(z.object({ id: z.string(), args }), { input: 'args' })
    const values = fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: true }), {
      noNullPrototype: true,
    })
    await fc.assert(
      fc.asyncProperty(fc.record({ id: text, args: values }, { requiredKeys: ['id'] }), async (given) => {
        const json = JSON.parse(JSON.stringify(given)) as JsonObject
        expect(command && (await parse(command, printArguments(command, json)))).toEqual(json)
      }),
    )
  })
})

describe('printing', () => {
  it('prints a command line that a shell splits into the same words', () => {
    const command = commandOf('memo_create')
    expect(printCommandLine('pml', command, command.examples[0] ?? {})).toBe(
      String.raw`pml memo create 'it'\''s me' --tags a --tags 'b c' --no-deep`,
    )
  })
})

describe('the spellings that are parsed', () => {
  it('include exactly the global flags that no parameter may have', () => {
    const program = { flags: [] }
    const flags = [...globalKindsOf(program).keys()].map((flag) => flag.replace(/^no-/, ''))
    expect(new Set(flags)).toEqual(reservedFlags)
  })
})
