import { hole } from '../words/holes.ts'
import { readOptions } from '../words/options.ts'
import { below } from '../words/paths.ts'
import { NOTHING } from '../words/shell.ts'
import type { Call, Program, Shell, Stream } from '../words/shell.ts'
import { readPatch } from './patches.ts'

/** Programs that unpack many files, or pack them into one. */
export const ARCHIVERS: Readonly<Record<string, Program>> = {
  tar,
  gtar: tar,
  bsdtar: tar,
  unzip: (shell, { args }) => {
    const { find, words } = readOptions(args, { values: 'dPx' })
    if (find('l', 't', 'p', 'v', 'Z') === undefined && words.length > 0)
      unpacked(shell, find('d') ?? '.', words.slice(1))
    return undefined
  },
  zip: (shell, { args }) => {
    const { words, find } = readOptions(args, { values: 'xitbP' })
    if (find('m', 'move') !== undefined)
      for (const word of words.slice(1)) shell.write(word, { kind: 'deleted' })
    if (find('T', 'unzip-command') !== undefined) shell.act('zip', args)
    return packed(shell, words[0])
  },
  '7z': (shell, { args }) => {
    const folder = args.find((arg) => /^-o./.test(arg))?.slice(2) ?? '.'
    if (/^[ex]$/.test(args[0] ?? '')) unpacked(shell, folder, [])
    return undefined
  },
  cpio: (shell, { args }) => {
    if (args.some((arg) => /^-[a-z]*i|^--extract/.test(arg))) unpacked(shell, '.', [])
    return undefined
  },
  gunzip: inPlace(/\.(?:gz|tgz|z)$/i),
  unxz: inPlace(/\.xz$/i),
  bunzip2: inPlace(/\.bz2$/i),
  patch: (shell, { args, stdin }) => {
    const { find, words } = readOptions(args, {
      values: 'pioDdBrFVxYzg',
      longValues: ['strip', 'input', 'output', 'directory', 'reject-file', 'fuzz'],
    })
    if (find('dry-run') !== undefined) return undefined
    const output = find('o', 'output')
    const files = output === undefined ? words.slice(0, 1) : [output]
    const from = find('i', 'input') ?? words[1]
    readPatch(shell, {
      patch: from === undefined ? stdin : undefined,
      files,
      strip: Number(find('p', 'strip') ?? 0),
      folder: find('d', 'directory'),
    })
    return undefined
  },
  apply_patch: applyPatch,
  applypatch: applyPatch,
}

function applyPatch(shell: Shell, { args, stdin }: Call): Stream {
  readPatch(shell, {
    patch: args[0] === undefined ? stdin : { text: args[0] },
    files: [],
    strip: 1,
    folder: undefined,
  })
  return undefined
}

function tar(shell: Shell, { args }: Call): Stream {
  // The first word is an option bundle even without a dash: `tar xzf a.tgz`.
  const [first = '', ...rest] = args
  const dashed = /^[a-zA-Z]+$/.test(first) ? [`-${first}`, ...rest] : args
  const { find, words } = readOptions(separated(dashed), {
    values: 'fCTXbHIKNV',
    longValues: ['file', 'directory', 'files-from', 'exclude', 'transform', 'strip-components', 'to-command'],
  })
  if (find('x', 'extract', 'get') !== undefined && find('O', 'to-stdout') === undefined) {
    unpacked(shell, find('C', 'directory') ?? '.', words)
  }
  if (find('c', 'create', 'r', 'append', 'u', 'update') !== undefined) packed(shell, find('f', 'file'))
  if (args.some((arg) => TAR_RUNS.test(arg))) shell.act('tar', args)
  const command = find('to-command')
  if (command !== undefined) shell.source(command, undefined)
  return undefined
}

/** Options that rename or remove members, or start something. */
const TAR_RUNS =
  /^--(?:xform|transform|checkpoint-action|use-compress|to-command|rsh-command|info-script|new-volume-script|remove-files|index-file)|^-[a-zA-Z]*[IF]/

/** `xzfC a.tgz dir`: old option bundles take their values in order; rewritten as separate options. */
function separated([first = '', ...rest]: readonly string[]): readonly string[] {
  const letters = /^-([a-zA-Z]+)$/.exec(first)?.[1]
  if (letters === undefined) return [first, ...rest]
  const values = [...rest]
  const options = [...letters].flatMap((letter) =>
    'fCTXbHIKNV'.includes(letter) ? [`-${letter}`, values.shift() ?? ''] : [`-${letter}`],
  )
  return [...options, ...values]
}

function unpacked(shell: Shell, folder: string, members: readonly string[]): void {
  const why = 'it comes out of an archive'
  for (const member of members) shell.write(below(folder, member), { kind: 'unknown', why })
  if (members.length === 0) shell.write(below(folder, hole('…')), { kind: 'unknown', why })
}

function packed(shell: Shell, file: string | undefined): Stream {
  if (file !== undefined && file !== '-')
    shell.write(file, { kind: 'unknown', why: 'an archive is made there' })
  return undefined
}

function inPlace(suffix: RegExp): Program {
  return (shell, { args }) => {
    const { words, find } = readOptions(args, { values: 'S' })
    if (find('c', 'stdout', 't', 'l') !== undefined) return undefined
    for (const word of words.filter((word) => suffix.test(word))) {
      shell.write(word.replace(suffix, ''), { kind: 'unknown', why: 'it is unpacked' })
    }
    return NOTHING
  }
}
