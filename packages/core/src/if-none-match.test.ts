import { expect, it } from 'vitest'
import { ifNoneMatch } from './if-none-match.ts'

const etag = '"sha256-abc"'

it.each([
  [etag, true],
  [`W/${etag}`, true],
  [`"x", ${etag}`, true],
  [`"x",W/${etag} , "y"`, true],
  ['"a,b", "sha256-abc"', true],
  [`, ${etag}`, true],
  [`"x",,${etag},`, true],
  ['*', true],
  [' * ', true],
  ['"x"', false],
  ['', false],
  ['sha256-abc', false],
  [`w/${etag}`, false],
  [`*, ${etag}`, false],
  [`${etag} "x"`, false],
  [`"x" ${etag}`, false],
  ['"sha256-ab"', false],
  ['"SHA256-ABC"', false],
  [undefined, false],
])('If-None-Match: %s -> %s', (field, matches) => {
  expect(ifNoneMatch(field, etag)).toBe(matches)
})
