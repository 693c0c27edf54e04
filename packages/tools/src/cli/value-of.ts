import type { Parameter } from '../parameters.ts'
import type { CliIo } from './cli-io.ts'
import { parseValue, type Parsed } from './parse-value.ts'
import type { Given } from './place-flags.ts'
import { readText } from './read-text.ts'

interface ValueOf {
  readonly value: unknown
  readonly wrong: readonly string[]
}

/** Combines the given texts into the parameter's value. */
export async function valueOf(parameter: Parameter, given: readonly Given[], io: CliIo): Promise<ValueOf> {
  const parsed: Parsed[] = []
  for (const one of given) parsed.push(await parseGiven({ parameter, one, io }))
  const values = parsed.flatMap((one) => ('value' in one ? one.value : []))
  const wrong = parsed.flatMap((one) => ('wrong' in one ? one.wrong : []))
  const excess = findExcess(parameter, given)
  return {
    value: parameter.isArray ? values : values[0],
    wrong: excess === undefined ? wrong : [...wrong, excess],
  }
}

function findExcess({ isArray, flag }: Parameter, given: readonly Given[]): string | undefined {
  if (!isArray) return given.length > 1 ? `expected one value, got ${given.length}` : undefined
  const forms = new Set(given.map(({ form }) => form))
  return forms.size > 1 ? `expected values or --no-${flag}, got both` : undefined
}

interface Written {
  readonly parameter: Parameter
  readonly one: Given
  readonly io: CliIo
}

async function parseGiven({ parameter, one: { form, text }, io }: Written): Promise<Parsed> {
  if (form === 'file') return parseFile(parameter, text ?? '', io)
  if (form === 'value' || (form === 'on' && text !== undefined)) return parseValue(parameter, text ?? '')
  return { value: form === 'none' ? [] : form === 'on' }
}

async function parseFile(parameter: Parameter, path: string, io: CliIo): Promise<Parsed> {
  const text = await readText(io, path)
  return 'wrong' in text ? text : parseValue(parameter, text.value)
}
