import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileNative, parsePolicy, runExamples } from '../index.ts'

const file = 'config/enforcement.json'
const text = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')
const policy = parsePolicy(text, file, { compile: compileNative, installation: ['/usr/lib/pml'] })
const results = runExamples(policy, () => ({ writes: [], commands: [], code: [], unknowns: [] }))

describe('the built-in policy', () => {
  it.each(results.filter(({ example }) => !('command' in example)))(
    '$rule: $example is a $expected',
    ({ ok }) => {
      expect(ok).toBe(true)
    },
  )
})
