import { z } from 'zod'

export type JsonObject = Readonly<Record<string, unknown>>

/** The parts of JSON Schema 2020-12 that this package reads; the rest is passed on. */
export interface JsonSchema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly [keyword: string]: unknown
}

/** Removes `$schema`, which is the default dialect everywhere, and the bounds that every integer has. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      // The format says the same; its pattern is 280 characters that every agent would read.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  return rest as JsonSchema
}
