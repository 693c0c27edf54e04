import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import { openClient, type Client } from './open-client.ts'
import { processOps } from '../machine/ops.ts'

let workspace: TestWorkspace
let client: Client

beforeEach(async () => {
  workspace = await makeWorkspace('http://127.0.0.1:9/')
  const { env } = workspace
  client = await openClient(
    { ...processOps(), env, cacheHome: workspace.cacheDir },
    { workspace: workspace.root },
  )
})
afterEach(async () => {
  await client.close()
  await workspace.remove()
})

it('a command that took the place of the one that was agreed to is not started', async () => {
  const mark = join(workspace.root, 'started')
  const write = (args: string[]) =>
    writeFile(join(workspace.root, '.pml', 'mcp', 'one.json'), JSON.stringify({ command: 'touch', args }))
  await mkdir(join(workspace.root, '.pml', 'mcp'), { recursive: true })
  await write(['--version'])
  const servers = await client.servers()
  const agreed = await servers.find('one')
  if (!agreed) throw new Error('there is no server')
  await write([mark])
  await servers.reload()
  const tested = servers.test(agreed, AbortSignal.timeout(10_000))
  await expect(tested).rejects.toMatchObject({ code: 'cancelled' })
  await expect(access(mark)).rejects.toMatchObject({ code: 'ENOENT' })
})
