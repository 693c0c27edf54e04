import { expect, it } from 'vitest'
import { hiderOf } from './hide-secrets.ts'

const key = '-----BEGIN KEY-----\nMIIEabcdef\r\nxyz\n-----END KEY-----\n'

it('hides each line of a secret, since output is read line by line', () => {
  const hide = hiderOf([key])
  expect(['I had -----BEGIN KEY-----', 'MIIEabcdef', 'it is MIIEabcdef.', key, 'xyz'].map(hide)).toEqual([
    'I had ***',
    '***',
    'it is ***.',
    '***',
    'xyz',
  ])
})

it('hides a secret that ends with a line break', () => {
  expect(hiderOf(['s3cr3t-value\n'])('I had s3cr3t-value')).toBe('I had ***')
})
