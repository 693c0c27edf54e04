import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeServedPlace, type ServedPlace } from '../../test/served.ts'
import { depsPathOf } from '../workspace/consent.ts'

let place: ServedPlace

beforeEach(async () => {
  place = await makeServedPlace()
})
afterEach(() => place.remove())

it('unreadable consent is one error, with its exit code', async () => {
  await place.write('project', 'files', { command: 'true' })
  const path = depsPathOf(place, { env: place.env, platform: process.platform })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '{"version": 1,')
  const outcome = await place.run('mcp', 'test', 'files', '--json')
  expect(outcome).toMatchObject({ exit: 2, stderr: '' })
  expect(JSON.parse(outcome.stdout)).toMatchObject({ error: 'invalid_config' })
})
