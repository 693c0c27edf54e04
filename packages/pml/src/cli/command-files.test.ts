import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCommandFiles } from './command-files.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-files-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('the files of commands may contain more than the command line uses', async () => {
  const listed = { name: 'memo_find', command: 'find', about: 'Finds.', isOwn: true }
  const command = { ...listed, inputSchema: {}, of: ['another', { version: 1 }] }
  await writeFile(join(folder, 'index.json'), JSON.stringify([listed]))
  await writeFile(join(folder, 'memo_find.json'), JSON.stringify(command))
  const files = createCommandFiles(pathToFileURL(`${folder}/`))
  expect([await files.list(), await files.load('memo_find')]).toEqual([[listed], command])
})
