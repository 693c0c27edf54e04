import { symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stdDir } from '../../../../../apps/server/test/paths.ts'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { Called, Pml } from '../../index.ts'

let registry: TestRegistry
let workspace: TestWorkspace
let pml: Pml

beforeAll(async () => {
  registry = await startRegistry({ stdDir })
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  await workspace.writeConfig({ permissions: { allow: ['*'] } })
  await writeFile(join(workspace.root, 'notes.txt'), 'find "permissions" here\n')
  await writeFile(join(dirname(workspace.root), 'outside.txt'), 'permissions\n')
  await symlink('../outside.txt', join(workspace.root, 'link.txt'))
  pml = await workspace.open()
})
afterEach(() => workspace.remove())

const call = async (tool: string, args: Record<string, unknown>) =>
  ((await pml.call(tool, args)) as Called).result

describe('the tools of the standard library in a workspace of pml', () => {
  it('find and search what is there, past what is hidden from them', async () => {
    expect(await call('filesystem:find_files', { pattern: '**' })).toMatchObject({
      files: expect.arrayContaining(['notes.txt']),
    })
    expect(await call('filesystem:search_text', { text: 'permissions' })).toMatchObject({
      matches: [expect.objectContaining({ path: 'notes.txt', line: 1 })],
    })
    const listed = JSON.stringify(await call('filesystem:list_directory', { path: '.' }))
    expect(listed).toContain('notes.txt')
    expect(await call('filesystem:read_file', { path: 'notes.txt' })).toMatchObject({
      content: 'find "permissions" here\n',
    })
  })

  it('write only when it is granted', async () => {
    const args = { path: 'new.txt', content: 'x' }
    await expect(pml.call('filesystem:write_file', args)).rejects.toMatchObject({ code: 'not_granted' })
    await workspace.writeConfig({
      permissions: { allow: ['*'] },
      grants: { 'filesystem:*': { write: ['.'] } },
    })
    await pml.call('filesystem:write_file', args)
    expect(await call('filesystem:read_file', { path: 'new.txt' })).toMatchObject({ content: 'x' })
  })
})
