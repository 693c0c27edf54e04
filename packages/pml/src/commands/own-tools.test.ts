import { readdir } from 'node:fs/promises'
import { runTool, type ToolDefinition } from '@pml/tools/run-tool'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import { openClient, type Client } from '../calls/open-client.ts'
import { openPerson } from '../machine/person/person.ts'
import { processOps } from '../machine/ops.ts'
import { callOwnTool, type OwnContext } from './own-tools.ts'

const namesIn = async (folder: string) =>
  (await readdir(new URL(folder, import.meta.url))).map((file) => file.replace(/\.ts$/, '')).sort()

const definitionOf = async (file: string) =>
  ((await import(`./tools/${file}.ts`)) as { default: ToolDefinition<OwnContext> }).default

describe('a command of this machine', () => {
  let workspace: TestWorkspace
  let client: Client
  let context: OwnContext

  beforeAll(async () => {
    workspace = await makeWorkspace('http://127.0.0.1:9')
    const ops = { ...processOps(workspace.env), tell: () => undefined }
    client = await openClient(ops, { workspace: workspace.root })
    context = {
      ops,
      signal: new AbortController().signal,
      workspace: workspace.root,
      client: async () => client,
      lockfile: async () => client,
      onProgress: () => undefined,
      confirm: async () => true,
      screen: undefined,
      person: openPerson(ops),
    }
  })
  afterAll(async () => {
    await client.close()
    await workspace.remove()
  })

  it('can start without schemas exactly when it takes no arguments', async () => {
    const files = await namesIn('tools')
    const definitions = await Promise.all(files.map(definitionOf))
    const plain = files.filter((_, index) => Object.keys(definitions[index]?.input.shape ?? {}).length === 0)
    expect(await namesIn('plain')).toEqual(plain.map((file) => `run-${file}`))
    expect(plain).toContain('lock-show')
  })

  it.each(['lock-show', 'lock-verify', 'cache-dir', 'cache-size', 'pml-list', 'pml-sync'])(
    'gives the same with and without them: %s',
    async (file) => {
      const name = file.replaceAll('-', '_')
      const checked = await runTool(await definitionOf(file), context, {})
      expect(await callOwnTool(context, { name, args: {}, isPlain: true })).toEqual(checked)
    },
  )
})
