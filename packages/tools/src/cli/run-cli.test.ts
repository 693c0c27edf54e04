import { describe, expect, it } from 'vitest'
import { PmlError } from '@pml/core'
import { program, runMemo } from '../../test/run-memo.ts'
import type { GlobalFlags, Layout } from './index.ts'

describe('a command', () => {
  it('prints the output of the tool, and loads no other command', async () => {
    expect(await runMemo(['memo', 'create', 'hi'])).toEqual({
      exit: 0,
      stdout: 'text  hi\n',
      stderr: '',
      loaded: ['memo_create'],
    })
  })

  it('prints exactly one line of JSON with --json in any position', async () => {
    for (const argv of [
      ['--json', 'memo', 'create', 'a\nb'],
      ['memo', 'create', 'a\nb', '--json'],
    ])
      expect(await runMemo(argv)).toMatchObject({ exit: 0, stdout: '{"text":"a\\nb"}\n', stderr: '' })
  })

  it('with one word loads only the list and itself, and accepts its flags immediately', async () => {
    expect(await runMemo(['find', '--deep', '--names', 'a'])).toEqual({
      exit: 0,
      stdout: 'names  a\n',
      stderr: '',
      loaded: ['memo_find'],
    })
    const { stdout } = await runMemo(['--json', '--loud', 'find', '--names=a'])
    expect(stdout).toBe('{"names":["a"]}\n')
  })

  it('accepts global flags before it, with their values', async () => {
    const { stdout } = await runMemo(['--input', '-', 'memo', '--json', 'create'])
    expect(stdout).toBe('{"text":"piped"}\n')
  })

  it('passes the given program flags to the program', async () => {
    const seen: GlobalFlags[] = []
    const call = (_: unknown, flags: GlobalFlags) => (seen.push(flags), Promise.resolve({}))
    await runMemo(['memo', 'create', 'x', '--loud', '--limit', '3'], { call })
    await runMemo(['--loud', '--where', 'memo', 'memo', '--loud', 'create', 'x', '--loud'], { call })
    await runMemo(['--where=a', 'find', 'x', '--where', 'b'], { call })
    await runMemo(['find', '--where=', '--deep', 'x'], { call })
    await runMemo(['memo', 'create', 'x'], { call })
    expect(seen.map((flags) => Object.fromEntries(flags))).toEqual([
      { loud: true },
      { loud: true, where: 'memo' },
      { where: 'b' },
      { where: '' },
      {},
    ])
  })

  it('exits with the code that the program derives from the output, also with --json', async () => {
    const exitCodeOf = ({ names }: { names?: unknown }) => (Array.isArray(names) ? 3 : 0)
    const request = { program: { ...program, exitCodeOf } }
    expect(await runMemo(['find', 'a'], request)).toMatchObject({ exit: 3, stdout: 'names  a\n' })
    expect((await runMemo(['find', 'a', '--json'], request)).exit).toBe(3)
    expect((await runMemo(['memo', 'create', 'a'], request)).exit).toBe(0)
  })

  it('prints its output for a person as the program decides', async () => {
    const print = (name: string, output: object, { width }: Layout) =>
      name === 'memo_find' ? `${JSON.stringify(output)} in ${width}\n` : undefined
    const request = { program: { ...program, print }, width: 40 }
    expect((await runMemo(['find', 'a'], request)).stdout).toBe('{"names":["a"]} in 40\n')
    expect((await runMemo(['find', 'a', '--json'], request)).stdout).toBe('{"names":["a"]}\n')
    expect((await runMemo(['memo', 'create', 'a'], request)).stdout).toBe('text  a\n')
  })

  it("shows the tool's error about values unchanged", async () => {
    const json = await runMemo(['memo', 'create', 'x', '--limit', '101', '--json'])
    expect(json).toMatchObject({ exit: 2, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      error: 'invalid_arguments',
      issues: [{ path: ['limit'] }],
    })
    expect(json.stdout.split('\n')).toHaveLength(2)
    const human = await runMemo(['memo', 'create', 'x', '--limit', '101'])
    expect(human).toMatchObject({ exit: 2, stdout: '' })
    expect(human.stderr).toMatch(/^error: Cannot call memo_create: limit: .*<=100, got 101\n/)
  })
})

describe('a failure', () => {
  it('shows one line per problem, with the typed flag', async () => {
    const { exit, stdout, stderr } = await runMemo([
      'memo',
      'create',
      '--limt',
      '3',
      '--expires-in-days',
      'x',
    ])
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toBe(
      'error: Cannot call memo_create:\n' +
        '  --limt: there is no such flag; did you mean --limit?\n' +
        '  --expires-in-days: expected a whole number, got "x"\n',
    )
  })

  it.each([
    [['meno', 'create'], "There is no command 'meno'; did you mean 'memo'?"],
    [['memo', 'crate'], "There is no command 'memo crate'; did you mean 'memo create'?"],
    [['memo_create'], "There is no command 'memo_create'; did you mean 'memo create'?"],
    [['zoo', 'create'], "There is no command 'zoo create'; did you mean 'memo create'?"],
    [['complletions'], "There is no command 'complletions'; did you mean 'completions'?"],
    [['memo_find'], "There is no command 'memo_find'; did you mean 'find'?"],
    [['fnd', 'x'], "There is no command 'fnd'; did you mean 'find'?"],
    [['memo', 'find'], "There is no command 'memo find'; did you mean 'find'?"],
    [['__proto__', 'x'], `There is no command '__proto__'; "pml help" lists what there is`],
    [['memo', 'constructor'], `There is no command 'memo constructor'; "pml memo" lists what there is`],
  ])('of %j suggests the nearest command', async (argv, message) => {
    expect(await runMemo(argv)).toMatchObject({ exit: 2, stdout: '', stderr: `error: ${message}\n` })
    const { stdout } = await runMemo([...argv, '--json'])
    expect(JSON.parse(stdout)).toEqual({ error: 'unknown_tool', message })
  })

  it.each([[[]], [['memo']]])('of %j is a JSON error with --json: the command is missing', async (words) => {
    const { exit, stdout } = await runMemo([...words, '--json'])
    expect([exit, JSON.parse(stdout)]).toMatchObject([2, { error: 'unknown_tool' }])
  })

  it('includes unknown flags before the command', async () => {
    const { exit, stderr } = await runMemo(['--jsn', 'memo', 'create'])
    expect([exit, stderr]).toEqual([
      2,
      'error: Cannot call pml: --jsn: there is no such flag; did you mean --json?\n',
    ])
  })

  it('includes a hint for a person', async () => {
    const call = () => Promise.reject(new PmlError('forbidden', 'Cannot do it'))
    expect(await runMemo(['memo', 'create', 'x'], { call })).toMatchObject({
      exit: 5,
      stderr: 'error: Cannot do it\nAsk for a key.\n',
    })
  })

  it('without a known code is an internal error', async () => {
    const call = () => Promise.reject(new TypeError('x is not a function'))
    const { exit, stdout } = await runMemo(['memo', 'create', 'x', '--json'], { call })
    expect([exit, JSON.parse(stdout)]).toMatchObject([1, { error: 'internal_error' }])
  })

  it('cannot control the terminal', async () => {
    const call = () => Promise.reject(new PmlError('not_found', 'gone\u001B]0;pwned\u0007\u202E'))
    expect((await runMemo(['memo', 'create', 'x'], { call })).stderr).toBe(
      String.raw`error: gone\u001b]0;pwned\u0007\u202e` + '\n',
    )
  })

  it('by Ctrl-C ends a hanging call with 130', async () => {
    const stop = new AbortController()
    const call = ({ signal }: { signal: AbortSignal }) => {
      queueMicrotask(() => stop.abort())
      expect(signal).toBe(stop.signal)
      return new Promise<never>(() => {})
    }
    const { exit, stdout } = await runMemo(['memo', 'create', 'x'], { call, signal: stop.signal })
    expect([exit, stdout]).toEqual([130, ''])
  })
})

describe('built-in words', () => {
  it('override categories and get the global flags in any position', async () => {
    expect((await runMemo(['serve'])).exit).toBe(0)
    expect((await runMemo(['serve', '--loud'])).exit).toBe(7)
    expect((await runMemo(['--loud', 'serve'])).exit).toBe(7)
    const seen: object[] = []
    const run = (flags: GlobalFlags) => (seen.push(Object.fromEntries(flags)), Promise.resolve(0))
    const request = { program: { ...program, words: [{ word: 'serve', about: '', run }] } }
    await runMemo(['--where', 'a', 'serve', '--loud', '--no-color'], request)
    expect(seen).toEqual([{ where: 'a', loud: true, 'no-color': true }])
    expect(await runMemo(['serve', '--any'])).toMatchObject({ exit: 2, stdout: '' })
    expect(await runMemo(['serve', 'now'])).toMatchObject({ exit: 2, stdout: '' })
  })

  it.each([[['serve', '--help']], [['--help', 'serve']], [['help', 'serve']]])(
    '%j shows the help of a built-in word',
    async (argv) => {
      const { exit, stdout } = await runMemo(argv)
      expect([exit, stdout]).toEqual([0, expect.stringContaining('Usage: pml serve\n\nServe memos.\n')])
    },
  )

  it.each<[string[], object]>([
    [['--version', '--json'], { version: '1.2.3' }],
    [
      ['help', 'memo', '--json'],
      { commands: [{ name: 'memo_create' }, { name: 'memo_move' }, { name: 'memo_tag' }] },
    ],
    [['help', 'find', '--json'], { commands: [{ name: 'memo_find', command: 'find' }] }],
    [['find', '--help', '--json'], { commands: [{ name: 'memo_find', command: 'find' }] }],
    [['completions', 'bash', '--json'], { script: expect.stringContaining('memo') }],
  ])('%j is one line of JSON', async (argv, expected) => {
    const { stdout } = await runMemo(argv)
    expect(stdout.match(/\n/g)).toHaveLength(1)
    expect(JSON.parse(stdout)).toMatchObject(expected)
  })

  it.each([[['--version']], [['version']]])('%j prints the version', async (argv) => {
    expect(await runMemo(argv)).toMatchObject({ exit: 0, stdout: '1.2.3\n' })
  })

  it('list the shells with completions', async () => {
    const { exit, stderr } = await runMemo(['completions', 'bsh'])
    expect([exit, stderr]).toEqual([
      2,
      'error: Cannot call completions: shell: expected one of bash, fish, zsh, got "bsh"; did you mean bash?\n',
    ])
  })
})

describe('help', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])(
    'of %j lists one-word commands, categories, built-in words and flags',
    async (argv) => {
      const { exit, stdout, loaded } = await runMemo(argv)
      expect([exit, loaded]).toEqual([0, []])
      expect(stdout).toMatchInlineSnapshot(`
        "Usage: pml <command> [flags]
               pml <category> <action> [flags]

        Memos, kept.

        Commands:
          apply  Applies a tool.
          find   Finds memos.

        Categories:
          memo  create, move, tag
          zoo   feed-all

        Also:
          serve        Serve memos.
          help         Show help for a command.
          completions  Print a script that completes commands in bash, zsh or fish.
          version      Print the version.

        With every command:
          --loud            say it loud
          --where <folder>  where memos are
          --input <json>    arguments as one JSON object: itself, a file that holds it, or - for stdin
          --json            print the output as one line of JSON, errors too
          --[no-]color      colours, or none
          --help            show help
          --version         print the version

        "pml <category>" lists its actions, "--help" after a command its flags
        "
      `)
    },
  )

  it.each([
    [['find', '--help']],
    [['find', 'x', '--names', 'y', '--what', '-h']],
    [['--help', 'find', 'x']],
    [['help', 'find']],
  ])('of %j describes a one-word command', async (argv) => {
    const { exit, stdout, loaded } = await runMemo(argv)
    expect([exit, new Set(loaded)]).toEqual([0, new Set(['memo_find'])])
    expect(stdout).toMatch(/^Usage: pml find <names>… \[flags\]\n\nFinds memos\.\n\nFlags:\n {2}--names/)
    expect(stdout).toMatch(/\nExamples:\n {2}pml find --names a --names=--b --deep\n$/)
  })

  it('shows where remaining words go', async () => {
    const { stdout } = await runMemo(['memo', 'tag', '--help'])
    expect(stdout).toMatch(/^Usage: pml memo tag <id> <by> \[votes\]… \[flags\]\n/)
  })

  it('names the parameter that --input fills', async () => {
    const { stdout } = await runMemo(['apply', '--help'])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      ' --input <json> what the tool gets (args, as one JSON object: itself, a file that holds it, or - for stdin) ',
    )
    expect(stdout.match(/--input <json>/g)).toHaveLength(1)
    expect(stdout).not.toContain('--args')
    expect(stdout).toContain(`\n  pml apply a:b --input '{"path":"."}'\n`)
  })

  it('has no line for one-word commands if there are none', async () => {
    const { stdout } = await runMemo([], { commands: { list: async () => [], load: () => Promise.reject() } })
    expect(stdout).toMatch(/^Usage: pml <category> <action> \[flags\]\n\n/)
    expect(stdout).not.toContain('Commands:')
  })

  it('as JSON gives no category to a one-word command', async () => {
    const { commands } = JSON.parse((await runMemo(['help', '--json'])).stdout) as { commands: object[] }
    expect(commands.filter((command) => !('category' in command))).toMatchObject([
      { name: 'memo_apply' },
      { name: 'memo_find' },
    ])
  })

  it.each([[['memo']], [['memo', '--help']], [['help', 'memo']]])('of %j lists actions', async (argv) => {
    const { exit, stdout } = await runMemo(argv)
    expect([exit, stdout]).toEqual([
      0,
      'Usage: pml memo <action> [flags]\n\nActions:\n  create  Keeps a memo.\n  move    Moves a memo.\n  tag     Tags a memo.\n',
    ])
  })

  it.each([
    [['memo', 'create', '--help']],
    [['memo', 'create', 'x', '--limit', 'y', '-h']],
    [['--help', 'memo', 'create']],
    [['help', 'memo', 'create']],
  ])('of %j describes a command', async (argv) => {
    const { exit, stdout } = await runMemo(argv, { width: 72 })
    expect(exit).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: pml memo create <text> [flags]

      Keeps a memo.

      Flags:
        --text <string>              what to keep (required; or --text-file
                                     <file>)
        --kind <choice>              what it is (one of "note", "todo", "'tis'
                                     $(touch pwned)"; default "note")
        --tags <string>…             (default []; may be repeated, --no-tags
                                     for none)
        --limit <integer>            how many (default 20)
        --ratio <number>
        --[no-]deep                  (default true)
        --sizes <integer>…           (may be repeated, --no-sizes for none)
        --votes <boolean>…           (may be repeated, --no-votes for none)
        --expires-in-days <integer>

      With every command:
        --loud            say it loud
        --where <folder>  where memos are
        --input <json>    arguments as one JSON object: itself, a file that
                          holds it, or - for stdin
        --json            print the output as one line of JSON, errors too
        --[no-]color      colours, or none
        --help            show help
        --version         print the version

      Examples:
        pml memo create 'it'\\''s me' --tags a --tags 'b c' --no-deep
      "
    `)
  })

  it('wraps to the width of the terminal', async () => {
    for (const width of [50, 80]) {
      const { stdout } = await runMemo(['memo', 'create', '--help'], { width })
      const flags = stdout.slice(0, stdout.indexOf('Examples:')).split('\n')
      expect(Math.max(...flags.map((line) => line.length))).toBeLessThanOrEqual(width)
    }
  })

  it('has colours only if the caller asks for them', async () => {
    expect((await runMemo(['--help'])).stdout).not.toContain('\u001B')
    expect((await runMemo(['--help', '--color'])).stdout).toContain('\u001B[1mUsage:')
    const io = { hasColor: true } as never
    expect((await runMemo(['--help'], { io })).stdout).toContain('\u001B[1m')
    expect((await runMemo(['--help', '--no-color'], { io })).stdout).not.toContain('\u001B')
  })

  it('of an unknown command is an error', async () => {
    expect(await runMemo(['help', 'memo', 'crate'])).toMatchObject({ exit: 2, stdout: '' })
  })
})
