import { Agent } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { readAnswer, requireSameAnswer, withoutNodeHeaders } from '../raw-answer.ts'
import { createStops } from '../stops.ts'
import { startBareServer } from './start-bare-server.ts'

const stops = createStops()
const agent = new Agent({ keepAlive: true })
afterAll(async () => {
  agent.destroy()
  await stops.run()
})

const body = new TextEncoder().encode('export default 1\n')
const answer = {
  status: 200,
  headers: [
    ['ETag', '"a"'],
    ['Content-Length', String(body.length)],
  ] as const,
  body,
}

test('a bare server sends exactly the given status, headers and bytes', async () => {
  const { url } = await startBareServer(answer, stops)
  expect(withoutNodeHeaders(await readAnswer(url, { agent }))).toEqual(answer)
})

test('refuses to compare responses with different headers', () => {
  const other = { ...answer, headers: [['ETag', '"b"']] as const }
  expect(() => requireSameAnswer(answer, other)).toThrow('the bare server answers otherwise')
  expect(() => requireSameAnswer(answer, { ...answer })).not.toThrow()
})
