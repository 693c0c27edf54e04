import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { reservedWords } from '../src/program.ts'
import { ToolRegistry, defineTool } from '../../tools/src/index.ts'
import { memoTools } from '../../tools/test/memo-tools.ts'
import { writeCommands } from '../../../scripts/write-commands.mjs'

let parent: string
let folder: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'pml-commands-'))
  folder = join(parent, 'commands')
})
afterEach(() => rm(parent, { recursive: true }))

function toolsWith(name: string, input: z.ZodObject = z.object({})): ToolRegistry<object> {
  const tools = new ToolRegistry<object>()
  const output = z.object({})
  tools.register(
    defineTool({ name, description: 'Does it.', input, output, effect: 'read', run: () => ({}) }),
  )
  return tools
}

describe('the writer of commands', () => {
  it('writes a small list and each command by itself, and leaves nothing else', async () => {
    await writeCommands({ tools: toolsWith('old_tool'), folder, reservedWords })
    await writeCommands({ tools: memoTools(), folder, reservedWords })
    expect((await readdir(folder)).toSorted()).toEqual([
      'index.json',
      'memo_create.json',
      'memo_move.json',
      'zoo_feed_all.json',
    ])
    expect(await readdir(parent)).toEqual(['commands'])
    expect(await read('index.json')).toMatchObject([
      { name: 'memo_create', category: 'memo', command: 'create', about: 'Keeps a memo.' },
      { name: 'memo_move' },
      { name: 'zoo_feed_all' },
    ])
    expect(await read('memo_create.json')).toEqual(memoTools().find('memo_create')?.command)
  })

  it.each(['help', 'completions', 'serve', 'version', 'fetch', 'lock', 'hook', 'servers'])(
    'refuses the category %s, which pml keeps for itself',
    async (word) => {
      const tools = toolsWith(`${word}_all`)
      await expect(writeCommands({ tools, folder, reservedWords })).rejects.toThrow(
        `${word}_all: '${word}' is a word of pml itself`,
      )
      expect(await readdir(parent)).toEqual([])
    },
  )

  it('refuses a tool that was left out, as one with a flag of pml is', async () => {
    const tools = toolsWith('memo_send', z.object({ insecureHttp: z.boolean() }))
    await expect(writeCommands({ tools, folder, reservedWords })).rejects.toThrow(
      '--insecure-http already belongs to every command',
    )
  })
})

async function read(file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, file), 'utf8'))
}
