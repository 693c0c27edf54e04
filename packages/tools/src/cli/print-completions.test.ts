import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoTools } from '../../test/memo-tools.ts'
import { completionWordsOf, type Completable } from './completion-words.ts'
import { printCompletions } from './print-completions.ts'

const completable: Completable = {
  program: {
    name: 'pml',
    words: [{ word: 'serve', about: 'Serve $(touch pwned).', run: () => Promise.resolve(0) }],
    flags: [
      { flag: 'loud', about: 'say it loud' },
      { flag: 'where', about: 'a folder', value: 'folder', isPath: true },
      { flag: 'who', about: 'a name', value: 'name' },
    ],
  },
  commands: memoTools().commands(),
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-completions-'))
  await writeFile(join(folder, 'pml.bash'), printCompletions(['bash'], completable))
  await writeFile(join(folder, 'args one.json'), '{}')
})
afterAll(() => rm(folder, { recursive: true }))

/** The replies of a real bash when Tab is pressed after these words. */
async function complete(...words: string[]): Promise<string[]> {
  const script = [
    'source ./pml.bash',
    'COMP_WORDS=("$@")',
    'COMP_CWORD=$(($# - 1))',
    '_pml',
    `printf '%s\\0' "\${COMPREPLY[@]}"`,
  ].join('\n')
  const run = promisify(execFile)
  const { stdout, stderr } = await run('bash', ['--norc', '-u', '-c', script, 'bash', 'pml', ...words], {
    cwd: folder,
  })
  expect(stderr).toBe('')
  return stdout.split('\0').filter(Boolean)
}

const everywhere = [
  '--loud',
  '--where',
  '--who',
  '--input',
  '--json',
  '--color',
  '--no-color',
  '--help',
  '--version',
]

describe('bash completes', () => {
  it.each<[string[], string[]]>([
    [[''], ['apply', 'find', 'memo', 'zoo', 'serve', 'help', 'completions', 'version']],
    [['m'], ['memo']],
    [
      ['memo', ''],
      ['create', 'move', 'tag'],
    ],
    [['memo', 'cr'], ['create']],
    [['--json', 'memo', 'm'], ['move']],
    [['--input', 'memo', 'memo', 'm'], ['move']],
    [['--who', 'memo', '--loud', 'memo', 'm'], ['move']],
    [['--where', '=', 'memo', 'memo', 'm'], ['move']],
    [['--who', ''], []],
    [['memo', 'create', '--where', 'arg'], ['args one.json']],
    [['find', '--na'], ['--names']],
    [
      ['find', 'memo', 'create', '--'],
      ['--names', '--no-names', '--deep', '--no-deep', ...everywhere],
    ],
    [['find', 'me'], []],
    [['help', 'fi'], ['find']],
    [['help', 'find', ''], []],
    [['help', 'z'], ['zoo']],
    [['help', 'memo', 'c'], ['create']],
    [
      ['completions', ''],
      ['bash', 'fish', 'zsh'],
    ],
    [
      ['memo', 'create', '--t'],
      ['--text', '--text-file', '--tags'],
    ],
    [
      ['memo', 'create', 'hello', '--no-'],
      ['--no-tags', '--no-deep', '--no-sizes', '--no-votes', '--no-color'],
    ],
    [
      ['memo', 'create', '--l'],
      ['--limit', '--loud'],
    ],
    [['memo', 'create', '--kind', 't'], ['todo']],
    [['memo', 'create', '--kind', '=', 'n'], ['note']],
    [
      ['memo', 'create', '--kind', '='],
      ['note', 'todo', String.raw`\'tis\'\ \$\(touch\ pwned\)`],
    ],
    [
      ['memo', 'create', '--votes', ''],
      ['true', 'false'],
    ],
    [['memo', 'create', '--limit', ''], []],
    [['memo', 'create', '--input', 'arg'], ['args one.json']],
    [['memo', 'create', '--text-file', 'pml'], ['pml.bash']],
    [['unknown', ''], []],
    [['$(touch pwned)', '`touch pwned`', ''], []],
  ])('%j', async (words, replies) => {
    expect(await complete(...words)).toEqual(replies)
  })

  it('executes nothing that it completes', async () => {
    await complete('zoo', 'feed-all', '--')
    await complete('memo', 'create', '--kind', '')
    expect((await readdir(folder)).toSorted()).toEqual(['args one.json', 'pml.bash'])
  })
})

describe.each(['bash', 'fish', 'zsh'])('the script for %s', (shell) => {
  const script = printCompletions([shell], completable)

  it('contains every command and every flag', () => {
    for (const { path, candidates, flags } of completionWordsOf(completable).places) {
      expect(script).toContain(`'${path}'`)
      for (const { word } of [...candidates, ...flags]) expect(script).toContain(word)
    }
  })

  it('knows which words complete a command, and which flags take a value', () => {
    const { singles, takers } = completionWordsOf(completable)
    expect([singles, takers]).toEqual([
      ['apply', 'find'],
      ['--where', '--who', '--input'],
    ])
    const quoted = {
      bash: "'apply' | 'find' | ",
      fish: `contains -- "$words" 'apply' 'find'`,
      zsh: "'apply' | 'find' | ",
    }[shell]
    expect(script).toContain(quoted)
    expect(script).toContain(takers.join(shell === 'fish' ? ' ' : ' | '))
  })

  it('contains nothing hostile outside of quotes', () => {
    const bare = shell === 'fish' ? script.replaceAll(/'(?:\\.|[^'\\])*'/g, '') : outsideQuotes(script)
    expect(bare).not.toMatch(/pwned|touch|`|\$\(x/)
  })
})

/** Removes single-quoted text and the escaped quotes between. */
function outsideQuotes(script: string): string {
  return script.replaceAll(/'[^']*'|\\'/g, '')
}
