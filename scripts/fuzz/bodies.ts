import fc, { type Arbitrary } from 'fast-check'
import type { JsonSchema, OpenApi } from './world.ts'

export interface Body {
  readonly type: string
  /** One character per byte. */
  readonly text: string
}

/** JSON that a schema allows, usually damaged afterwards. */
export function bodyFor(schema: JsonSchema, openapi: OpenApi): Arbitrary<Body> {
  return fc
    .tuple(valueOf(schema, openapi, 0), fc.array(jsonDamage, { maxLength: 2 }))
    .map(([value, damages]) => ({
      type: 'application/json',
      text: damages.reduce((text, damage) => damage(text), toBytes(JSON.stringify(value))),
    }))
}

const modules = [
  'export default () => 1\n',
  "export const description = 'Adds'\nexport default (a: number, b: number) => a + b\n",
  "export const description = '\\u0000'\nexport default () => 1\n",
  "export const description = '\\ud800'\nexport default () => 1\n",
  `export const description = '${'x'.repeat(2001)}'\nexport default () => 1\n`,
  "import x from 'https://evil.example/x.ts'\nexport default x\n",
  "const x = await import('node:fs')\nexport default x\n",
  'export default (',
  'export default `${`${`${1}`}`}`\n',
  `export default ${'('.repeat(3000)}1${')'.repeat(3000)}\n`,
  '\u00ef\u00bb\u00bfexport default 1\n',
  '\u00ff\u00fe',
  '\0',
  '',
]

export const moduleBody: Arbitrary<Body> = fc
  .tuple(fc.constantFrom(...modules), fc.integer({ min: 0, max: 99 }))
  .map(([text, number]) => ({
    type: 'application/typescript',
    text: text.replace('1\n', `${number}\n`),
  }))

const texts = fc.constantFrom(
  '',
  'a',
  'fuzz.pool.of.names_0',
  'fuzz.pool.of.names_1.0000',
  'client',
  'public',
  'search:find',
  '**',
  '(a+)+$',
  '2026-01-01T00:00:00Z',
  `sha256-${'0'.repeat(64)}`,
  'https://api.example.invalid/',
  'src/x.test.ts',
  '../../x',
  'a\r\nb',
  '\u2028',
  '\0',
  '\ud800',
  '\u{1f642}',
  'x'.repeat(5000),
  '__proto__',
  "' or 1=1 --",
  '{}',
)

/** A value that mostly fits a schema; formats and patterns are random. */
function valueOf(schema: JsonSchema, openapi: OpenApi, depth: number): Arbitrary<unknown> {
  const { $ref, type, properties, required, items, additionalProperties } = schema as {
    $ref?: string
    type?: string | string[]
    properties?: Record<string, JsonSchema>
    required?: string[]
    items?: JsonSchema
    additionalProperties?: JsonSchema | boolean
  }
  const inside = (schema: JsonSchema) => valueOf(schema, openapi, depth + 1)
  if ($ref !== undefined) return inside(openapi.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {})
  const choices = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined
  if (choices) return fc.oneof(...choices.map(inside))
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
  if (depth > 6) return fc.constant(null)
  if (type === 'object' || properties) {
    const known = Object.entries(properties ?? {}).map(([key, schema]) => [key, inside(schema)] as const)
    const more = typeof additionalProperties === 'object' ? inside(additionalProperties) : fc.constant(1)
    return fc
      .tuple(
        fc.record(Object.fromEntries(known), { requiredKeys: required ?? [] }),
        fc.option(fc.dictionary(texts, more, { maxKeys: 2 }), {
          freq: typeof additionalProperties === 'object' ? 1 : 8,
        }),
      )
      .map(([value, more]) => ({ ...value, ...more }))
  }
  if (type === 'array') return fc.array(inside(items ?? {}), { maxLength: 3 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number')
    return fc.constantFrom(0, 1, 2, 50, 100, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER)
  return type === 'string' ? texts : fc.oneof(texts, fc.constantFrom(null, 0, true, [], {}))
}

const nastyValues = [
  '1e400',
  '-0',
  '9007199254740993',
  `1${'0'.repeat(400)}`,
  '0.1e-400',
  '01',
  '+1',
  'NaN',
  'Infinity',
  "'x'",
  '"\\ud800"',
  '"\\u0000"',
  '"\\x"',
  '"a\nb"',
  '"ÿ"',
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '{"__proto__":{}}',
  '['.repeat(5e3),
  `${'['.repeat(200)}${']'.repeat(200)}`,
  `"${'x'.repeat(2e4)}"`,
  '/**/1',
  '1,',
]

/** Replaces a token, repeats a member, truncates, or appends something. */
const jsonDamage: Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.constantFrom('replace', 'replace', 'repeat', 'cut', 'append'),
    fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    fc.constantFrom(...nastyValues),
  )
  .map(([kind, where, nasty]) => (text) => {
    if (kind === 'cut') return text.slice(0, Math.floor(where * text.length))
    if (kind === 'append') return `${text}${nasty}`
    const pattern = kind === 'repeat' ? /"(?:[^"\\]|\\.)*":/g : /"(?:[^"\\]|\\.)*"|-?\d+|true|false|null/g
    const found = [...text.matchAll(pattern)]
    const match = found[Math.floor(where * found.length)]
    if (!match) return nasty
    const after = text.slice(match.index + match[0].length)
    return kind === 'repeat'
      ? `${text.slice(0, match.index)}${match[0]}1,${match[0]}${after}`
      : `${text.slice(0, match.index)}${nasty}${after}`
  })

export function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1')
}
