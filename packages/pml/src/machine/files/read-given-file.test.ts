import { execFileSync } from 'node:child_process'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'

/** Nobody listens there: what is wrong with a file is found out before anything is sent. */
const NOWHERE = 'http://127.0.0.1:9'

let workspace: TestWorkspace
beforeEach(async () => {
  workspace = await makeWorkspace(NOWHERE)
})
afterEach(() => workspace.remove())

const commands = [
  ['publish', 1024 * 1024, ['publish', 'acme.tools.text.mine']],
  ['import', 16 * 1024 * 1024, ['approval', 'import']],
] as const

describe.each(commands)('a file to %s', (doing, limitBytes, argv) => {
  it.each<[string, (file: string) => unknown, string]>([
    ['is too large', (file) => makeLarge(file, limitBytes + 1), `expected at most ${limitBytes}`],
    ['is a device without end', (file) => symlink('/dev/zero', file), 'got a device or a pipe'],
    ['is a pipe', (file) => execFileSync('mkfifo', [file]), 'got a device or a pipe'],
    ['is a folder', (file) => mkdir(file), 'it is a folder, expected a file'],
  ])('is refused before it is read where it %s', async (_what, make, why) => {
    await make(join(workspace.root, 'given.ts'))
    const { exit, stderr } = await workspace.run([...argv, 'given.ts'])
    expect([exit, stderr]).toEqual([1, expect.stringMatching(`Cannot ${doing} .*given\\.ts: .*${why}`)])
  })

  it('is named where it is missing', async () => {
    const { exit, stderr } = await workspace.run([...argv, 'given.ts'])
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(`Cannot ${doing} .*given\\.ts: there is no such file`),
    ])
  })
})

async function makeLarge(file: string, sizeBytes: number): Promise<void> {
  await writeFile(file, '')
  await truncate(file, sizeBytes)
}
