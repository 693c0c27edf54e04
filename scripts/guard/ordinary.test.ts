import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { hookedProject, type HookedProject } from '../../packages/pml/test/hook-place.ts'
import { makeProject } from './project.ts'

interface Ordinary {
  /** A command that agents type. */
  readonly typed: readonly string[]
  /** From the documentation, scripts and workflows of public packages and of this repository. */
  readonly published: Readonly<Record<string, readonly string[]>>
}

const { typed, published } = JSON.parse(
  readFileSync(new URL('corpus/ordinary.json', import.meta.url), 'utf8'),
) as Ordinary
const commands = [...new Set([...typed, ...Object.values(published).flat()])]

let project: HookedProject
beforeAll(() => {
  project = hookedProject()
  rmSync(join(project.root, '.git'), { recursive: true })
  makeProject(project.root)
})

it('has commands of at least five packages', () => {
  expect(commands.length).toBeGreaterThanOrEqual(1000)
  expect(Object.keys(published).length).toBeGreaterThanOrEqual(6)
})

it('blocks at most 3 in 1,000 ordinary commands', { timeout: 120_000 }, async () => {
  const held: string[] = []
  for (const command of commands) {
    const { exitCode } = await project.call('Bash', { command })
    if (exitCode !== 0) held.push(command)
  }
  // Both write a file with unknown content in a folder of tests.
  expect(held.toSorted()).toEqual([
    'browserify test/cover.js > test/browser.js && mocha-phantomjs test/test.html',
    'npm pack && mv iconv-lite-*.tgz test/webpack/iconv-lite.tgz && cd test/webpack && npm install && npm run test && rm iconv-lite.tgz',
  ])
})
