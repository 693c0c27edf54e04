import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { hookedProject, type HookedProject } from '../../packages/pml/test/hook-place.ts'

interface OwnCommands {
  /** Each answers, consents, removes protection or reads a key. */
  readonly refused: readonly string[]
  /** Each only reads, or mentions pml. */
  readonly passes: readonly string[]
}

const { refused, passes } = JSON.parse(
  readFileSync(new URL('corpus/own-commands.json', import.meta.url), 'utf8'),
) as OwnCommands

let project: HookedProject
beforeAll(() => {
  project = hookedProject()
  project.write('.env', 'PML_API_KEY=pml_a_b\n')
  project.write('data/admin-key', 'pml_a_b\n')
  project.write('package.json', '{}\n')
})

const exitOf = async (command: string) => (await project.call('Bash', { command })).exitCode

describe('pml commands that only a person may run', () => {
  it('are at least as many as expected', () => {
    expect([refused.length, passes.length]).toEqual([
      expect.toSatisfy((count: number) => count >= 300),
      expect.toSatisfy((count: number) => count >= 100),
    ])
  })

  it.each(refused)('refused: %s', async (command) => {
    expect(await exitOf(command)).toBe(2)
  })

  it.each(passes)('passes: %s', async (command) => {
    expect(await exitOf(command)).toBe(0)
  })
})
