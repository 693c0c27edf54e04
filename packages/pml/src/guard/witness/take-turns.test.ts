import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { takeTurns } from './take-turns.ts'

function makeFolder() {
  const folder = join(mkdtempSync(join(tmpdir(), 'pml-turns-')), 'witness')
  mkdirSync(folder)
  return { folder, turn: join(folder, 'turn') }
}

it('waits while another process has the turn', async () => {
  const { folder, turn } = makeFolder()
  writeFileSync(turn, '')
  const left = join(folder, 'left')
  // This thread stands still while it waits, so another process has to give the turn back.
  const other = spawn('sh', ['-c', `sleep 0.3; touch '${left}'; rm '${turn}'`])
  expect(await takeTurns(folder, async () => existsSync(left))).toBe(true)
  expect(existsSync(turn)).toBe(false)
  await once(other, 'exit')
})

it('takes the turn of a process that died with it', async () => {
  const { folder, turn } = makeFolder()
  writeFileSync(turn, '')
  const longAgo = Date.now() / 1000 - 60
  utimesSync(turn, longAgo, longAgo)
  expect(await takeTurns(folder, async () => 'mine')).toBe('mine')
})
