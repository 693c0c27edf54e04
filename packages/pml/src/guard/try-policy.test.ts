import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaults as builtIn } from '../../test/hook-place.ts'
import { tryPolicy } from './try-policy.ts'

const defaults = pathToFileURL(builtIn)
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pml-try-'))
  mkdirSync(join(root, '.pml'))
})
afterEach(() => rmSync(root, { recursive: true }))

const rule = (id: string, more: object = {}) => ({
  id,
  paths: ['a/**'],
  effect: 'block',
  reason: 'r',
  suggestion: 's',
  ...more,
})
const write = (name: string, rules: object[]) =>
  writeFileSync(join(root, '.pml', name), JSON.stringify({ version: 1, rules }))

describe('the examples of a policy', () => {
  it('are those of the built-in rules where the workspace has no policy', async () => {
    const tried = await tryPolicy(root, { defaults })
    expect(tried).toMatchObject({ ok: true, policy: 'the built-in policy', failed: [], untried: [] })
    expect(tried.examples).toBeGreaterThan(tried.rules)
  })

  it('are told of where they pass and should match, or match and should pass, and where there are none', async () => {
    const [inside, outside] = [
      { path: 'a/x', content: '' },
      { path: 'b/x', content: '' },
    ]
    write('enforcement.json', [
      rule('RIGHT', { examples: { match: [inside], pass: [outside] } }),
      rule('WRONG', { examples: { match: [outside], pass: [inside, { command: 'echo x > a/y' }] } }),
      rule('UNTRIED'),
    ])
    expect(await tryPolicy(root, { defaults })).toMatchObject({
      ok: false,
      policy: join(root, '.pml', 'enforcement.json'),
      failed: [
        { rule: 'WRONG', expected: 'to match, but it passes', example: JSON.stringify(outside) },
        { rule: 'WRONG', expected: 'to pass, but it matches', example: JSON.stringify(inside) },
        { rule: 'WRONG', expected: 'to pass, but it matches', example: '{"command":"echo x > a/y"}' },
      ],
      untried: ['UNTRIED'],
    })
  })

  it('are of another file where one is named, and refused without it or where it is wrong', async () => {
    write('other.json', [rule('ONLY')])
    const file = join(root, '.pml', 'other.json')
    expect(await tryPolicy(root, { defaults, file })).toMatchObject({ policy: file, untried: ['ONLY'] })
    await expect(tryPolicy(root, { defaults, file: `${file}x` })).rejects.toThrow(/Cannot read .*ENOENT/)
    write('other.json', [{ id: 'x' }])
    await expect(tryPolicy(root, { defaults, file })).rejects.toThrow(
      /other\.json:1:\d+: rules\[0\]\.id: expected an id/,
    )
  })
})
