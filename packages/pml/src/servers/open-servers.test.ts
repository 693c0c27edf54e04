import { afterEach, beforeEach, expect, it } from 'vitest'
import { openClient, type Client } from '../calls/open-client.ts'
import { processOps } from '../machine/ops.ts'
import type { Servers } from './servers.ts'
import { makeServedPlace, tool, type ServedPlace } from '../../test/served.ts'

let place: ServedPlace
let client: Client
beforeEach(async () => {
  place = await makeServedPlace()
  const ops = { ...processOps(), env: place.env, cacheHome: place.env['PML_CACHE_DIR'] ?? '' }
  client = await openClient(ops, { workspace: place.root, mode: 'gateway' })
})
afterEach(async () => {
  await client.close()
  await place.remove()
})

const never = new AbortController().signal
const test = async (servers: Servers) => {
  const found = await servers.find('one')
  if (!found) throw new Error('There is no such server')
  return servers.test(found, never)
}

it('without any place for files there is nothing to begin with', async () => {
  const servers = await client.servers()
  await expect(servers.init()).rejects.toMatchObject({
    code: 'no_server_files',
    detail: { name: 'ErrNoConfigDirs' },
    message: expect.stringContaining('.mcp.json'),
  })
  expect(servers.list()).toEqual([])
})

it('gives how many are ready or degraded', async () => {
  await place.server('good', [tool('a')])
  await place.server('lacking', [tool('a')], { tools: ['b'] })
  await place.write('user', 'bad', { command: '/nowhere' })
  expect(await (await client.servers()).init()).toBe(2)
})

it('gives calls their time at the end, and says when it cut them off', async () => {
  await place.server('one', [tool('wait'), tool('echo')])
  const servers = await client.servers()
  const { server } = (await servers.find('one')) ?? {}
  const session = await server?.open(never)
  const cut = session
    ?.callTool('wait', {}, { signal: never, timeoutMs: 60_000 })
    .catch((error: unknown) => error)
  await expect(servers.close(50)).rejects.toMatchObject({
    code: 'close_timeout',
    detail: { name: 'ErrCloseTimeout' },
  })
  expect(await cut).toMatchObject({ code: expect.stringMatching(/cancelled|server_failed/) })
})

it('closes without an error when nothing is called', async () => {
  await place.server('one', [tool('echo')])
  const servers = await client.servers()
  await test(servers)
  await expect(servers.close(1000)).resolves.toBeUndefined()
})

it('tells of tools only when they are others, and of status whenever it is another', async () => {
  await place.server('one', [tool('echo')])
  const servers = await client.servers()
  const told = { tools: 0, status: 0 }
  servers.onToolsChange(() => told.tools++)
  servers.onChange(() => told.status++)
  await test(servers)
  expect(told.tools).toBe(1)
  const before = told.status
  await test(servers)
  expect(told).toEqual({ tools: 1, status: expect.any(Number) })
  expect(before).toBeGreaterThan(0)
})
