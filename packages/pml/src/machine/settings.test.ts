import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

let workspace: TestWorkspace
beforeEach(async () => {
  workspace = await makeWorkspace('http://127.0.0.1:9')
})
afterEach(() => workspace.remove())

const SECRET = 'hunter2 with a space'
const wrong = {
  PML_REGISTRY_URL: `https://user:${SECRET.slice(0, 7)}@registry.example.com`,
  PML_API_KEY: SECRET,
  PML_TIMEOUT_MS: 'soon',
  PML_APPROVAL_SECONDS: '0',
  PML_CACHE_MB: '1e3',
  PML_CACHE_DIR: 'here',
  HTTP_PROXY: 'socks5://127.0.0.1:1',
  HTTPS_PROXY: 'proxy',
}

describe('the environment', () => {
  it.each([['list'], ['init'], ['cache', 'clean'], ['sync']])(
    'is told all that is wrong with it at once, and none of its values: pml %s %s',
    async (...argv) => {
      const { exit, stdout, stderr } = await workspace.run(
        argv.filter((word) => word !== undefined),
        { env: wrong },
      )
      expect([exit, stdout]).toEqual([2, ''])
      expect(stderr.trim().split('\n')).toHaveLength(1)
      for (const name of Object.keys(wrong)) expect(stderr).toContain(`${name}: expected `)
      expect(stderr).not.toContain('hunter2')
    },
  )

  it('is told as JSON too', async () => {
    const { exit, stdout } = await workspace.run(['list', '--json'], { env: wrong })
    const { error, problems } = JSON.parse(stdout) as { error: string; problems: string[] }
    expect([exit, error, problems.length]).toEqual([2, 'invalid_config', Object.keys(wrong).length])
  })

  it.each([
    ['PML_TIMEOUT_MS', '3600001'],
    ['PML_APPROVAL_SECONDS', '86401'],
    ['PML_APPROVAL_SECONDS', '-1'],
    ['PML_CACHE_MB', '0x10'],
    ['PML_CACHE_MB', '1.5'],
  ])('cannot have %s=%s', async (name, value) => {
    const { exit, stderr } = await workspace.run(['list'], { env: { [name]: value } })
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining(`${name}: expected a whole number from 1 to `),
    ])
  })

  it('says nothing with variables that are empty', async () => {
    const empty = Object.fromEntries([...Object.keys(wrong), 'PML_WORKSPACE'].map((name) => [name, '']))
    expect(await workspace.run(['list', '--json'], { env: empty })).toEqual({
      exit: 0,
      stdout: '{"entries":[]}\n',
      stderr: '',
    })
  })

  it('names a workspace that is not there', async () => {
    const env = { PML_WORKSPACE: `${workspace.root}/none` }
    const { exit, stderr } = await workspace.run(['list'], { env })
    expect([exit, stderr]).toEqual([2, expect.stringContaining('there is no such folder; create it first')])
  })
})
