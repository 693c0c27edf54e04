import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { configHomeOf, stateHomeOf } from './ops.ts'

it.each(['', '.', 'home'])('a HOME of %j is none: what is below a repository is not a person’s', (home) => {
  const env = { HOME: home }
  expect(stateHomeOf(env, 'linux')).toBe(`${userInfo().homedir}/.local/state/pml`)
  expect(configHomeOf(env, 'linux')).toBe(`${userInfo().homedir}/.config/pml`)
})
