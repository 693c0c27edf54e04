import { expect, test } from 'vitest'
import { parseServerConfig } from '@pml/core'
import { environmentOf, fill } from './placeholders.ts'

const sandbox = { workDir: '/sandbox/work', homeDir: '/sandbox/home', path: '/bin' }

test('a server gets its own home, placeholders for required variables, and the configured values', () => {
  const env = { API_KEY: '${OTHER_KEY}', BASE_URL: '', MODE: 'fast', MIXED: 'a-${API_KEY}' }
  const args = ['${WORKSPACE}', '--x=${Y}']
  const text = JSON.stringify({ mcpServers: { a: { command: 'npx', args, env } } })
  const [config] = parseServerConfig(text, 'a.json').servers
  if (!config) throw new Error('expected a server')
  expect(environmentOf(config, sandbox)).toEqual({
    PATH: '/bin',
    HOME: '/sandbox/home',
    LANG: 'C.UTF-8',
    API_KEY: 'placeholder',
    BASE_URL: 'http://127.0.0.1:9',
    MODE: 'fast',
    MIXED: 'a-placeholder',
    WORKSPACE: '/sandbox/work',
    Y: 'placeholder',
  })
  expect(config.args.map((argument) => fill(argument, sandbox))).toEqual(['/sandbox/work', '--x=placeholder'])
})
