export const description = 'Prints a value as JSON text with a chosen indent and, if wanted, sorted keys'

export const inputSchema = {
  type: 'object',
  properties: {
    value: { description: 'Any JSON value' },
    indent: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      default: 2,
      description: 'Spaces per level; 0 for one line',
    },
    sortKeys: { type: 'boolean', default: false, description: 'Whether the keys of every object are sorted' },
  },
  required: ['value'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function format(args: {
  value: unknown
  indent?: number
  sortKeys?: boolean
}): Promise<{ text: string }> {
  const { value, indent = 2, sortKeys = false } = args
  if (value === undefined)
    throw new Error('Cannot format JSON: expected value to be a JSON value, got undefined')
  if (!Number.isInteger(indent) || indent < 0 || indent > 10) {
    throw new Error(
      `Cannot format JSON: expected indent to be an integer from 0 to 10, got ${JSON.stringify(indent)}`,
    )
  }
  return { text: JSON.stringify(sortKeys ? sorted(value) : value, null, indent) }
}

/** Keys that look like array indexes come first in any JavaScript object, in order of number. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]))
}
