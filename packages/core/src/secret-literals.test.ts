import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findNamedSecret, findSecret, findSecretArguments, findUrlSecret } from './secret-literals.ts'

const secretTexts = [
  'sk-proj-Zm9vYmFyYmF6cXV4',
  `${'gh'}p_16C7e42F292c6912E7710c838347Ae178B4a`,
  `${'github'}_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ`,
  `${'gl'}pat-AbCdEfGhIjKlMnOpQrSt`,
  `${'xo'}xb-123456789012-abcdefghijkl`,
  'AKIAIOSFODNN7EXAMPLE',
  'AIzaSyA-1234567890abcdefghijklmnopqrstu',
  'tvly-dev-abcdefghijklmnop',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE',
  'wJalrXUtnFEMIK7MDENGbPxRfiCYEX4MPLEKEYab',
  '9f86d081884c7d659a2feaa0c55ad015',
  'postgres://admin:hunter2@db.example.com/main',
  'Bearer sk-ant-api03-abcdefghij',
]

const plainTexts = [
  '',
  'production',
  '3000',
  '${GITHUB_TOKEN}',
  'Bearer ${GITHUB_TOKEN}',
  '@modelcontextprotocol/server-sequential-thinking',
  '@scope/a-package-with-a-long-name/dist/some/very/long/path/to/the/entry/point.js',
  'https://mcp.example.com/v1/workspaces/main/streamable-http?region=eu-central-1',
  `ghcr.io/github/github-mcp-server@sha256:${'0a1b2c3d'.repeat(8)}`,
  `git+https://github.com/oraios/serena@${'0a1b2c3d'.repeat(5)}`,
  'postgres://admin:${DB_PASSWORD}@db.example.com/main',
  'postgres://localhost:5432/main',
  'MyVeryLongCamelCaseServiceNameForTheEnvironment2024',
  'release-2026-08-31-build-1234-candidate-2-for-linux-x64',
  'GITHUB_PERSONAL_ACCESS_TOKEN_OF_THE_FIRST_USER_2024',
  'task-manager-for-teams-of-all-sizes',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
]

describe('a text without a name', () => {
  test.each(secretTexts)('is a secret: %s', (text) => expect(findSecret(text)).toBeDefined())
  test.each(plainTexts)('is not a secret: %s', (text) => expect(findSecret(text)).toBeUndefined())

  test('is never repeated in the description', () => {
    for (const text of secretTexts) expect(text).not.toContain(findSecret(text))
  })

  test.each(['0123456789abcdef', '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'])(
    'is found in 40 random characters of %s',
    (alphabet) => {
      const key = fc.array(fc.constantFrom(...alphabet), { minLength: 40, maxLength: 40 })
      const keys = fc.sample(fc.noBias(key), { numRuns: 500, seed: 1 }).map((letters) => letters.join(''))
      expect(keys.filter((text) => findSecret(text) === undefined).length).toBeLessThan(10)
    },
  )
})

describe('a value under a name', () => {
  test.each([
    ['API_KEY', 'hunter2'],
    ['x-api-key', 'hunter2'],
    ['tavilyApiKey', 'hunter2'],
    ['DB_PASSWORD', 'x'],
    ['Authorization', 'Basic YWRtaW4='],
    ['CLIENT_SECRET', 'abc'],
    ['GOOGLE_CREDENTIALS', '{"a":1}'],
    ['TOKEN', '1234'],
    ['NODE_OPTIONS', `--token=${'gh'}p_16C7e42F292c6912E7710c`],
  ])('is a secret: %s', (name, value) => expect(findNamedSecret(name, value)).toBeDefined())

  test.each([
    ['NODE_ENV', 'production'],
    ['API_KEY', ''],
    ['API_KEY', '${API_KEY}'],
    ['Authorization', 'Bearer ${TOKEN}'],
    ['USE_TOKEN', 'true'],
    ['MAX_TOKENS', '4096'],
    ['SSL_KEY_FILE', '/etc/ssl/server.pem'],
    ['KEYBOARD', 'qwerty'],
    ['MONKEY', 'banana'],
    ['PATH', '/usr/bin'],
  ])('is not a secret: %s=%s', (name, value) => expect(findNamedSecret(name, value)).toBeUndefined())
})

describe('arguments', () => {
  test.each([
    [['--api-key', 'hunter2'], 1],
    [['--api-key=hunter2'], 0],
    [['run', '-e', 'GITHUB_TOKEN=hunter2'], 2],
    [['--header', 'Authorization: Bearer hunter2'], 1],
    [['https://example.com/mcp?apiKey=hunter2'], 0],
    [['-y', 'server', 'sk-abcdefghijklmnop'], 2],
  ])('%j contain a secret', (args, index) => {
    expect(findSecretArguments(args).map((found) => found.index)).toEqual([index])
  })

  test.each([
    [['--port', '3000']],
    [['run', '--rm', '-i', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN', 'ghcr.io/github/github-mcp-server']],
    [['--api-key', '${API_KEY}']],
    [['--token', '--verbose']],
    [['-y', '@upstash/context7-mcp']],
    [['--from', 'git+https://github.com/oraios/serena', 'serena', 'start-mcp-server']],
  ])('%j contain no secret', (args) => expect(findSecretArguments(args)).toEqual([]))
})

test('a query parameter is checked by its name', () => {
  expect(findUrlSecret('https://example.com/mcp?api_key=abc')).toBeDefined()
  expect(findUrlSecret('https://example.com/mcp?api_key=${API_KEY}&page=2')).toBeUndefined()
})
