import { readOptions } from '../words/options.ts'
import { NOTHING } from '../words/shell.ts'
import type { Call, Program, Shell, Stream } from '../words/shell.ts'

/** Programs that delete or truncate files. */
export const REMOVERS: Readonly<Record<string, Program>> = {
  rm: remove,
  grm: remove,
  unlink: remove,
  rmdir: remove,
  trash: remove,
  rimraf: remove,
  'del-cli': remove,
  del: remove,
  erase: remove,
  shred: (shell, { args }) => {
    const { words } = readOptions(args, { values: 'ns', longValues: ['iterations', 'size', 'random-source'] })
    const gone = args.some((arg) => /^-[a-z]*u|^--remove/.test(arg))
    for (const word of words) {
      shell.write(word, gone ? { kind: 'deleted' } : { kind: 'unknown', why: 'shred overwrites it' })
    }
    return NOTHING
  },
  truncate: (shell, { args }) => {
    const { words, find } = readOptions(args, { values: 'sr', longValues: ['size', 'reference'] })
    const empties = find('s', 'size') === '0'
    for (const word of words) {
      shell.write(
        word,
        empties ? { kind: 'text', text: '' } : { kind: 'unknown', why: 'truncate cuts it off' },
      )
    }
    return NOTHING
  },
  touch: (shell, { args }) => {
    const { words, find } = readOptions(args, { values: 'drt', longValues: ['date', 'reference', 'time'] })
    if (find('c', 'no-create') !== undefined) return NOTHING
    for (const word of words) shell.write(word, { kind: 'append', text: '' })
    return NOTHING
  },
}

function remove(shell: Shell, { args }: Call): Stream {
  for (const word of readOptions(args, {}).words) shell.write(word, { kind: 'deleted' })
  return NOTHING
}
