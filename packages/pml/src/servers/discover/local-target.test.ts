import { expect, it } from 'vitest'
import { localTarget } from './local-target.ts'

const env = { TOKEN: 's3cret', EMPTY: '', NESTED: '${TOKEN}', SPACED: 'a&b=c/d' }
const place = { name: 'files', root: '/project', env }
const launch = { kind: 'stdio', command: 'node', args: [], env: {}, cwd: undefined } as const
const fill = (...args: string[]) => localTarget({ ...launch, args }, place)

it.each([
  ['${TOKEN}', 's3cret'],
  ['${env:TOKEN}', 's3cret'],
  ['${TOKEN:-other}', 's3cret'],
  ['${MISSING:-a:-b}', 'a:-b'],
  ['${EMPTY:-other}', 'other'],
  ['${MISSING:-}', ''],
  ['${workspaceFolder}/${WORKSPACE}', '/project//project'],
  ['${NESTED}', '${TOKEN}'],
  ['$TOKEN ${TOKEN', '$TOKEN ${TOKEN'],
])('a local server gets %s filled in', (written, filled) => {
  expect(fill(written)).toMatchObject({ args: [filled] })
})

it('encodes values in an address, and not in headers', () => {
  const target = localTarget(
    { kind: 'http', url: 'https://example.com/?key=${SPACED}', headers: { 'x-key': '${SPACED}' } },
    place,
  )
  expect(target).toMatchObject({
    url: new URL('https://example.com/?key=a%26b%3Dc%2Fd'),
    headers: { 'x-key': 'a&b=c/d' },
  })
})

it.each([
  ['MISSING', '${MISSING}'],
  ['EMPTY', '${EMPTY}'],
  ['PML_API_KEY', '${PML_API_KEY}'],
  ['${input:token}', '${input:token}'],
  ['constructor', '${constructor}'],
])('refuses to start without %s', (name, written) => {
  const own = { ...place, env: { ...env, PML_API_KEY: 'k' } }
  expect(() => localTarget({ ...launch, args: [written] }, own)).toThrow(
    `Cannot start files: it needs ${name} in the environment`,
  )
})
