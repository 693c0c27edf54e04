import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { fileKeys, listKeys, memberKeys } from './server-keys.ts'

it.each([
  ['file', fileKeys],
  ['member', memberKeys],
  ['list', listKeys],
])('the schema for editors has the same keys of a %s as the parser', async (part, { known, ignored }) => {
  const file = new URL('../../../../config/mcp-server.schema.json', import.meta.url)
  const { $defs } = JSON.parse(await readFile(file, 'utf8')) as {
    $defs: Record<string, { properties: object }>
  }
  expect(Object.keys($defs[part]?.properties ?? {}).sort()).toEqual([...known, ...ignored].sort())
})
