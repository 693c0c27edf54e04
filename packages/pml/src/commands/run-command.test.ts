import { readdir, readFile } from 'node:fs/promises'
import { runTool } from '@pml/tools/run-tool'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placesIn } from '../../../../scripts/bundle-pml.mjs'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import { openClient, type Client } from '../calls/open-client.ts'
import { processOps } from '../machine/ops.ts'
import { openPerson } from '../machine/person/person.ts'
import { toolOf, type Command, type CommandContext } from './command.ts'
import { loadCommand } from './load-command.ts'
import { runCommand } from './run-command.ts'
import * as shapes from './shapes.ts'

const folder = import.meta.dirname
const bundle = new URL('../../bundle/', import.meta.url)
let places: string[]
let bundled: ReadonlyMap<string, string>
beforeAll(async () => {
  places = await placesIn(folder)
  const files = (await readdir(bundle)).filter((file) => file.endsWith('.js'))
  const texts = files.map(async (file) => [file, await readFile(new URL(file, bundle), 'utf8')] as const)
  bundled = new Map(await Promise.all(texts))
})

async function commandAt(place: string): Promise<Command> {
  const command = await loadCommand(place)
  if ('run' in command) return command
  throw new Error(`${place} runs at the registry`)
}

/** The bundle's files that are loaded immediately with a command. */
function filesOf(place: string): Set<string> {
  const list = [...bundled.values()].find((text) => text.includes(`"${place}": () => import(`)) ?? ''
  const [, entry = ''] = new RegExp(`"${place}": \\(\\) => import\\("\\./([^"]+)"\\)`).exec(list) ?? []
  const found = new Set([entry])
  for (const file of found)
    for (const [, next = ''] of (bundled.get(file) ?? '').matchAll(/^(?:import|\} from) "\.\/([^"]+)";$/gm))
      found.add(next)
  return found
}

describe('a command without arguments', () => {
  it('starts without zod', async () => {
    const isZod = (file: string) => bundled.get(file)?.includes('// node_modules/.pnpm/zod@') === true
    const plain: string[] = []
    for (const place of places) {
      const command = await loadCommand(place)
      if ('run' in command && !command.input) plain.push(place)
    }
    expect(plain).toEqual(expect.arrayContaining(['lock/show', 'pml/list', 'cache/dir']))
    expect(plain.filter((place) => [...filesOf(place)].some(isZod))).toEqual([])
    expect([...filesOf('hooks/install')].some(isZod)).toBe(true)
  })

  describe('returns what its schema says', () => {
    let workspace: TestWorkspace
    let client: Client
    let context: CommandContext

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

    it.each(['lock/show', 'lock/verify', 'cache/dir', 'cache/size', 'pml/list', 'pml/sync'])(
      '%s',
      async (place) => {
        const checked = await runTool(toolOf(place, await commandAt(place), shapes), context, {})
        expect(await runCommand(context, { place, args: {} })).toEqual(checked)
      },
    )
  })
})
