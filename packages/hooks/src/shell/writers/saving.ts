import { Buffer } from 'node:buffer'
import { hole, isKnown } from '../words/holes.ts'
import { readOptions } from '../words/options.ts'
import { contentOf, readFrom } from '../words/redirects.ts'
import { NOTHING } from '../words/shell.ts'
import type { Call, Program, Shell, Stream } from '../words/shell.ts'

/** Programs that save their input or output to a file. */
export const SAVERS: Readonly<Record<string, Program>> = {
  tee,
  gtee: tee,
  sponge: tee,
  dd,
  sort: outputOption({
    values: 'okStT',
    longValues: ['output', 'key', 'buffer-size', 'field-separator', 'temporary-directory'],
  }),
  shuf: outputOption({ values: 'oien', longValues: ['output'] }),
  uniq: (shell, { args }) => secondWord(shell, args),
  openssl: (shell, { args }) => {
    const at = args.findIndex((arg) => /^-(?:out|keyout|writerand)$/.test(arg))
    if (at >= 0) save(shell, args[at + 1], 'openssl')
    return undefined
  },
  gpg: outputOption({ values: 'or', longValues: ['output', 'recipient'] }),
  iconv: outputOption({ values: 'oft', longValues: ['output', 'from-code', 'to-code'] }),
  xxd,
  split: (shell, { args }) => splitInto(shell, args),
  csplit: (shell, { args }) => splitInto(shell, args),
  crontab: (shell, { args }) => {
    const { words, find } = readOptions(args, { values: 'u' })
    if (
      find('l') !== undefined ||
      (words.length === 0 && find('e', 'r', 'i') === undefined && args.length > 0)
    )
      return undefined
    shell.write('/var/spool/cron/crontabs', {
      kind: 'unknown',
      why: 'crontab changes what is run at set times',
    })
    return NOTHING
  },
}

function tee(shell: Shell, { args, stdin, name }: Call): Stream {
  const { words, find } = readOptions(args, { longValues: name === 'tee' ? ['output-error'] : [] })
  for (const word of words) {
    shell.write(word, contentOf(stdin, find('a', 'append') !== undefined))
  }
  return stdin
}

function dd(shell: Shell, { args, stdin }: Call): Stream {
  const value = (name: string) => args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1)
  const from = value('if')
  const target = value('of')
  const whole = !args.some((arg) => /^(?:count|skip|seek|conv|bs|ibs|obs|iflag|oflag)=/.test(arg))
  const appends = args.some((arg) => /^(?:oflag|conv)=.*(?:append|notrunc)/.test(arg))
  const stream = from === undefined ? stdin : readFrom(shell, from)
  const isText =
    stream !== undefined && 'text' in stream && !args.some((arg) => /^(?:count|skip|seek|conv)=/.test(arg))
  const output = (whole || isText) && !appends ? stream : undefined
  if (target === undefined) return output
  shell.write(target, contentOf(output, false))
  return NOTHING
}

function outputOption(names: { values: string; longValues: readonly string[] }): Program {
  return (shell, { name, args }) => {
    const file = readOptions(args, names).find('o', 'output')
    if (file !== undefined) save(shell, file, name)
    return undefined
  }
}

function save(shell: Shell, word: string | undefined, name: string): void {
  if (word === undefined || word === '-') return
  shell.write(word, { kind: 'unknown', why: `what ${name} makes is only known then` })
}

/** `uniq in out` */
function secondWord(shell: Shell, args: readonly string[]): Stream {
  const { words } = readOptions(args, {
    values: 'fsw',
    longValues: ['skip-fields', 'skip-chars', 'check-chars'],
  })
  save(shell, words[1], 'uniq')
  return undefined
}

function xxd(shell: Shell, { args, stdin }: Call): Stream {
  const words = args.filter((arg, index) => !/^-./.test(arg) && !/^-[clgso]$/.test(args[index - 1] ?? ''))
  const flags = args.filter((arg) => arg.startsWith('-')).join(' ')
  const input = words[0] === undefined || words[0] === '-' ? stdin : readFrom(shell, words[0])
  const back = /-\w*r/.test(flags) && /-p|-\w*p/.test(flags) && input && 'text' in input
  const text = back ? Buffer.from(input.text.replaceAll(/\s/g, ''), 'hex').toString('utf8') : hole('xxd')
  const output: Stream = isKnown(text) ? { text } : undefined
  if (words[1] === undefined) return output
  shell.write(words[1], contentOf(output, false))
  return NOTHING
}

function splitInto(shell: Shell, args: readonly string[]): Stream {
  const { words, find } = readOptions(args, {
    values: 'abClnftr',
    longValues: [
      'suffix-length',
      'bytes',
      'lines',
      'number',
      'filter',
      'additional-suffix',
      'prefix',
      'suffix-format',
    ],
  })
  const filter = find('filter')
  if (filter !== undefined) {
    if (isKnown(filter)) shell.inSubshell(() => shell.source(filter, undefined))
    else shell.unknown('split runs a command that is only known then')
    return undefined
  }
  const suffix = find('additional-suffix', 'f') ?? ''
  if (suffix !== '') shell.act('split', args)
  const prefix = words[1] ?? 'x'
  shell.write(prefix + hole('…'), { kind: 'unknown', why: 'a part of what is split' })
  return NOTHING
}
