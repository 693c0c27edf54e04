import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDatabase } from '../database.ts'
import { startServer } from '../server-process.ts'
import { messageWith, nameOf } from './proxied-registry.ts'
import { startUpstream } from './upstream.ts'

const ADMIN = 'pml_admin_0123456789abcdef0123'

it('the shipped program fills in its environment variables, and reads PML_PROXY_ALLOW', async () => {
  const upstream = await startUpstream((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'),
  )
  const folder = await mkdtemp(join(tmpdir(), 'pml-proxy-'))
  const url = `http://127.0.0.1:${upstream.port}/mcp`
  const servers = {
    own: { url, headers: { Authorization: 'Bearer ${UP_TOKEN}' } },
    settings: { url, headers: { 'X-Take': '${PML_ADMIN_KEY}' } },
  }
  await writeFile(join(folder, 'mcp-servers.json'), JSON.stringify({ mcpServers: servers }))
  await writeFile(join(folder, 'mcp-routing.json'), '{"default":"server"}')
  const server = await startServer({
    DATABASE_URL: await createDatabase(),
    PML_DATA_DIR: join(folder, 'data'),
    PML_CONFIG_DIR: folder,
    PML_ADMIN_KEY: ADMIN,
    PML_PROXY_ALLOW: '127.0.0.1/32',
    UP_TOKEN: 'tok-4b77',
  })
  const call = (name: string) =>
    fetch(`${server.url}/proxy/${nameOf(name)}`, messageWith({ Authorization: `Bearer ${ADMIN}` }))
  expect((await call('own')).status).toBe(200)
  expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer tok-4b77'])
  const refused = await call('settings')
  expect([refused.status, await refused.json()]).toMatchObject([503, { missing: ['PML_ADMIN_KEY'] }])
  expect(await server.stop()).toBe(0)
  expect(server.lines.join('\n')).not.toContain('tok-4b77')
  await upstream.stop()
  await rm(folder, { recursive: true })
})
