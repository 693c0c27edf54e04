import { createToolbox, leavingWith } from '../src/index.ts'
import { PmlError } from '@pml/core'
import { runCli, type Cli, type Program } from '../src/cli/index.ts'
import { memoTools } from './memo-tools.ts'

export const program: Program = {
  name: 'pml',
  version: '1.2.3',
  about: 'Memos, kept.',
  words: [
    { word: 'serve', about: 'Serve memos.', run: (flags) => Promise.resolve(flags.has('loud') ? 7 : 0) },
  ],
  flags: [
    { flag: 'loud', about: 'say it loud' },
    { flag: 'where', about: 'where memos are', value: 'folder', isPath: true },
  ],
  findHint: ({ code }) => (code === 'forbidden' ? 'Ask for a key.' : undefined),
}

export interface Outcome {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
  readonly loaded: readonly string[]
}

/** Runs a command line on real tools, in this process. */
export async function runMemo(
  argv: string[],
  request: Partial<Cli> & { width?: number } = {},
): Promise<Outcome> {
  const tools = memoTools()
  const toolbox = createToolbox<object, object>(tools, {
    findRefusal: () => undefined,
    onRefusal: () => {},
    begin: () => ({}),
    explain: () => new PmlError('internal_error', 'Cannot say'),
  })
  const out: string[] = []
  const told: string[] = []
  const loaded: string[] = []
  const exit = await runCli({
    argv,
    program,
    commands: {
      list: () =>
        Promise.resolve(
          tools.commands().map(({ name, category, command, about }) => ({ name, category, command, about })),
        ),
      load: (name) => {
        loaded.push(name)
        const command = tools.find(name)?.command
        return command ? Promise.resolve(command) : Promise.reject(new Error(`no ${name}`))
      },
    },
    call: ({ signal, ...call }) => toolbox.call({}, { ...call, leaving: leavingWith(signal) }),
    signal: new AbortController().signal,
    ...request,
    io: {
      print: (text) => void out.push(text),
      tell: (text) => void told.push(text),
      read: () => Promise.resolve(new TextEncoder().encode('{"text":"piped"}')),
      width: request.width,
      hasColor: false,
      ...request.io,
    },
  })
  return { exit, stdout: out.join(''), stderr: told.join(''), loaded }
}
