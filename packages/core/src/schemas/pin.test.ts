import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { pinJsonSchema } from './pin.ts'

test('the schema that editors use is the one that the code checks', async () => {
  const file = new URL('../../../../config/pin.schema.json', import.meta.url)
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(pinJsonSchema())
})
