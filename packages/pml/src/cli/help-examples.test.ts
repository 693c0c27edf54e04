import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../../tools/src/cli/index.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import { createCommandFiles } from './command-files.ts'
import { createProgram } from './program.ts'

const folder = fileURLToPath(new URL('../../bundle/commands/', import.meta.url))
const read = async (name: string) =>
  JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as unknown
const list = (await read('index')) as { name: string; category?: string; command: string }[]
const ownWords = ['serve', 'hook', 'help', 'completions', 'version']

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await makeWorkspace('http://127.0.0.1:9/')
})
afterAll(() => workspace.remove())

async function examplesOf(words: readonly string[]): Promise<string[]> {
  const { exit, stdout } = await workspace.run(['help', ...words])
  expect([words, exit]).toEqual([words, 0])
  const [, section = ''] = stdout.split(/^Examples:$/m)
  // An example may span several lines.
  return section
    .split(/^ {2}(?=pml )/m)
    .map((example) => example.trim())
    .filter(Boolean)
}

/** Splits a line like a shell; examples use plain words and single quotes. */
function split(line: string): string[] {
  return Array.from(line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll(String.raw`'\''`, "'"),
  )
}

/** Parses the command line without running it. */
async function argumentsOf(example: string): Promise<unknown> {
  const [program, ...argv] = split(example)
  let called: unknown
  const exit = await runCli({
    argv,
    program: createProgram('', []),
    commands: createCommandFiles(new URL('../../bundle/commands/', import.meta.url)),
    signal: new AbortController().signal,
    io: {
      print: () => {},
      tell: (text) => expect(text).toBe(''),
      width: undefined,
      hasColor: false,
      read: () => Promise.reject(new Error('an example reads no file')),
    },
    call: async ({ name, args }) => {
      called = { name, args }
      return {}
    },
  })
  expect([program, exit]).toEqual(['pml', 0])
  return called
}

describe('help', () => {
  it.each(list.map(({ name, category, command }) => [[category, command].filter(Boolean).join(' '), name]))(
    'of pml %s has valid examples',
    async (path, name) => {
      const words = path.split(' ')
      const examples = await examplesOf(words)
      expect(examples.length).toBeGreaterThan(0)
      const command = (await read(name)) as { examples: object[] }
      const wanted = command.examples.length > 0 ? command.examples : [{}]
      expect(await Promise.all(examples.map(argumentsOf))).toEqual(wanted.map((args) => ({ name, args })))
    },
  )

  it.each(ownWords)('of pml %s has an example', async (word) => {
    expect(await examplesOf([word])).not.toEqual([])
  })
})
