import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileNative, parsePolicy, runExamples } from '../index.ts'
import { readCommand } from '../shell/index.ts'

const file = 'config/enforcement.json'
const text = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')
const policy = parsePolicy(text, file, {
  compile: compileNative,
  examples: 'read',
  installation: ['/usr/lib/pml'],
})
const results = runExamples(policy, readCommand)

describe('the built-in policy', () => {
  it('has matching and passing examples for every rule', () => {
    for (const { id, examples } of policy.rules)
      expect([id, (examples.match ?? []).length > 0, (examples.pass ?? []).length > 0]).toEqual([
        id,
        true,
        true,
      ])
  })

  it.each(results)('$rule: $example is a $expected', ({ ok }) => {
    expect(ok).toBe(true)
  })
})
