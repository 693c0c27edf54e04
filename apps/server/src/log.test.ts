import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { createLog } from './log.ts'

function openLog() {
  const stdout = new PassThrough()
  const writes: string[] = []
  stdout.on('data', (chunk: Buffer) => writes.push(String(chunk)))
  let exit = () => {}
  const log = createLog({ level: 'info', stdout, isTerminal: false, onExit: (listener) => (exit = listener) })
  return { log, writes, exit: () => exit() }
}

it('writes the lines of one turn of the event loop together', async () => {
  const { log, writes } = openLog()
  log.info('one')
  log.warn({ n: 2 }, 'two')
  expect(writes).toEqual([])
  await expect.poll(() => writes).toHaveLength(1)
  const lines = writes.join('').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'info', msg: 'one', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/) },
    { level: 'warn', msg: 'two', n: 2 },
  ])
})

it('flushes remaining lines when the process exits', () => {
  const { log, writes, exit } = openLog()
  log.error('the end')
  exit()
  expect(writes.join('')).toContain('the end')
})
