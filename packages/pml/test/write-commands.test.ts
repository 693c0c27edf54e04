import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { INSECURE_HTTP, reservedWords } from '../src/cli/program.ts'
import { type ToolDefinition, ToolRegistry, defineTool } from '../../tools/src/index.ts'
import { memoTools } from '../../tools/test/memo-tools.ts'
import { writeCommands } from '../../../scripts/write-commands.mjs'

const flags = [INSECURE_HTTP]

const plain = {
  description: 'Does it.',
  input: z.object({}),
  output: z.object({}),
  effect: 'read' as const,
  run: () => ({}),
}

let parent: string
let folder: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'pml-commands-'))
  folder = join(parent, 'commands')
})
afterEach(() => rm(parent, { recursive: true }))

function toolsWith(
  name: string,
  request: Partial<Pick<ToolDefinition<object>, 'input' | 'cli' | 'formerNames'>> = {},
): ToolRegistry<object> {
  const tools = new ToolRegistry<object>()
  tools.register(defineTool({ ...plain, name, ...request }))
  return tools
}

describe('the writer of commands', () => {
  it('writes a small list and one file per command, and removes other files', async () => {
    await writeCommands({ tools: toolsWith('old_tool'), folder, reservedWords, flags })
    await writeCommands({ tools: memoTools(), folder, reservedWords, flags })
    expect((await readdir(folder)).toSorted()).toEqual([
      'index.json',
      'memo_apply.json',
      'memo_create.json',
      'memo_find.json',
      'memo_move.json',
      'memo_tag.json',
      'zoo_feed_all.json',
    ])
    expect(await readdir(parent)).toEqual(['commands'])
    expect(await read('index.json')).toMatchObject([
      { name: 'memo_apply', command: 'apply' },
      { name: 'memo_create', category: 'memo', command: 'create', about: 'Keeps a memo.' },
      { name: 'memo_find', command: 'find', about: 'Finds memos.' },
      { name: 'memo_move' },
      { name: 'memo_tag' },
      { name: 'zoo_feed_all' },
    ])
    expect(await read('memo_find.json')).not.toHaveProperty('category')
    expect(await read('memo_create.json')).toEqual(memoTools().find('memo_create')?.command)
  })

  it.each(['help', 'completions', 'serve', 'version', 'hook', 'servers'])(
    'refuses the reserved category and command %s',
    async (word) => {
      for (const tools of [toolsWith(`${word}_all`), toolsWith(`${word}_all`, { cli: { word } })])
        await expect(writeCommands({ tools, folder, reservedWords, flags })).rejects.toThrow(
          `${word}_all: '${word}' is a word of pml itself`,
        )
      expect(await readdir(parent)).toEqual([])
    },
  )

  it('refuses a parameter that would be a flag of pml', async () => {
    const tools = toolsWith('memo_send', { input: z.object({ insecureHttp: z.boolean() }) })
    await expect(writeCommands({ tools, folder, reservedWords, flags })).rejects.toThrow(
      'memo_send: --insecure-http is a flag of pml itself',
    )
  })
})

it('writes former words into the list unless another command has them', async () => {
  const tools = toolsWith('catalog_search', { formerNames: ['mcp_search'] })
  tools.register(defineTool({ ...plain, name: 'catalog_list', formerNames: ['mcp_list'] }))
  const own = toolsWith('mcp_list')
  await writeCommands({ tools, own, folder, reservedWords, flags })
  const list = (await read('index.json')) as { name: string; category: string; movedTo?: string }[]
  expect(list.filter(({ movedTo }) => movedTo !== undefined)).toEqual([
    {
      name: 'catalog_search',
      category: 'mcp',
      command: 'search',
      about: 'Does it.',
      movedTo: 'catalog search',
    },
  ])
  expect(await readdir(folder)).not.toContain('mcp_search.json')
})

describe('beside a local command', () => {
  const own = toolsWith('lock_show')

  it.each<[string, string, NonNullable<ToolDefinition<object>['cli']>]>([
    ['is called the same', 'lock_show', {}],
    ['is typed the same', 'memo_all', { category: 'lock', name: 'show' }],
    ['is typed like its category', 'memo_all', { word: 'lock' }],
  ])('a tool that %s is refused', async (_, name, cli) => {
    await expect(
      writeCommands({ tools: toolsWith(name, { cli }), own, folder, reservedWords, flags }),
    ).rejects.toThrow(`${name}: 'lock show' is a command of pml itself`)
  })

  it("a tool is refused if its category is the command's word", async () => {
    const word = toolsWith('pml_lock', { cli: { word: 'lock' } })
    await expect(
      writeCommands({ tools: toolsWith('lock_all'), own: word, folder, reservedWords, flags }),
    ).rejects.toThrow("lock_all: 'lock' is a command of pml itself")
  })

  it('other tools are written, also in the same category', async () => {
    const tools = toolsWith('memo_fine')
    tools.register(defineTool({ ...plain, name: 'lock_all' }))
    await writeCommands({ tools, own, folder, reservedWords, flags })
    expect(await read('lock_show.json')).toMatchObject({ category: 'lock', isOwn: true })
    for (const name of ['lock_all', 'memo_fine'])
      expect(await read(`${name}.json`)).not.toHaveProperty('isOwn')
  })
})

it('invalid tools are left out', async () => {
  const tools = toolsWith('memo_fine')
  tools.register(defineTool({ ...plain, name: 'broken' }))
  await writeCommands({ tools, folder, reservedWords, flags })
  expect(await read('index.json')).toMatchObject([{ name: 'memo_fine' }])
})

async function read(file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, file), 'utf8'))
}
