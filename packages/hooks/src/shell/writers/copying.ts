import type { ShellContent } from '../words/facts.ts'
import { hole, isKnown, readable } from '../words/holes.ts'
import { readOptions } from '../words/options.ts'
import type { Options } from '../words/options.ts'
import { below, extension, lastName, namesFolder, wholePath } from '../words/paths.ts'
import { contentOf, readFrom } from '../words/redirects.ts'
import { NOTHING } from '../words/shell.ts'
import type { Call, Program, Shell, Stream } from '../words/shell.ts'

/** Programs that replace one file by another. */
export const COPIERS: Readonly<Record<string, Program>> = {
  cp: (shell, call) => copy(shell, call, 'copy'),
  gcp: (shell, call) => copy(shell, call, 'copy'),
  mv: (shell, call) => copy(shell, call, 'move'),
  gmv: (shell, call) => copy(shell, call, 'move'),
  copy: (shell, call) => copy(shell, call, 'copy'),
  move: (shell, call) => copy(shell, call, 'move'),
  rename: (shell, { args }) => {
    if (args.length > 1)
      shell.write(hole(`rename ${args.map(readable).join(' ')}`), {
        kind: 'unknown',
        why: 'files get new names',
      })
    return NOTHING
  },
  ln: link,
  link: link,
  install,
  ginstall: install,
  rsync: (shell, { args }) => {
    const options = readOptions(args, {
      values: 'eTfB',
      longValues: [
        'rsh',
        'exclude',
        'include',
        'filter',
        'files-from',
        'exclude-from',
        'log-file',
        'backup-dir',
      ],
    })
    transfer(shell, options, options.find('remove-source-files') === undefined ? 'copy' : 'move')
    const log = options.find('log-file')
    if (log !== undefined) shell.write(log, { kind: 'unknown', why: 'rsync keeps its log there' })
    return undefined
  },
  scp: (shell, { args }) => {
    transfer(shell, readOptions(args, { values: 'cDFiJloPSX' }), 'copy')
    return undefined
  },
}

const NAMES = {
  values: 'tS',
  longValues: ['target-directory', 'suffix', 'backup', 'sparse', 'reflink', 'no-preserve'],
}

function copy(shell: Shell, { args }: Call, kind: 'copy' | 'move'): Stream {
  const options = readOptions(args, NAMES)
  transfer(shell, options, kind)
  return options.find('v', 'verbose') === undefined ? NOTHING : undefined
}

function transfer(shell: Shell, options: Options, kind: 'copy' | 'move'): void {
  const folder = options.find('t', 'target-directory')
  const sources = folder === undefined ? options.words.slice(0, -1) : options.words
  const target = folder ?? options.words.at(-1)
  // `cp "${files[@]}"` has several words.
  if (target !== undefined && !isKnown(target)) shell.act('a copy', options.words)
  if (target === undefined || sources.length === 0) return
  if (isRemote(target)) return
  const intoFolder = folder !== undefined || sources.length > 1 || namesFolder(target)
  const neverFolder = options.find('T', 'no-target-directory') !== undefined
  const suffix = options.find('S', 'suffix')
  for (const source of sources) {
    const paths = targets({ target, source, intoFolder, neverFolder })
    const content = contentFrom(shell, source, kind)
    for (const path of paths) {
      shell.write(path, content)
      copyBelow(shell, source, path)
      if (suffix !== undefined)
        shell.write(path + suffix, { kind: 'unknown', why: 'what was there is kept there' })
      if (options.find('l', 'link', 's', 'symbolic-link') !== undefined) noteLink(shell, path, source)
    }
    if (kind !== 'move') continue
    shell.write(source, { kind: 'moved', to: wholePath(shell.scope.folders[0], paths[0] ?? target) })
  }
}

/** Includes files that this command line put into the folder. */
function copyBelow(shell: Shell, source: string, target: string): void {
  const [from, to] = [source, target].map((word) => wholePath(shell.scope.folders[0], word))
  if (from === undefined || to === undefined) return
  const below = [...shell.files].filter(([path]) => path.startsWith(`${from}/`))
  for (const [path, stream] of below) shell.write(to + path.slice(from.length), contentOf(stream, false))
}

function noteLink(shell: Shell, path: string, source: string): void {
  const [from, to] = [path, source].map((word) => wholePath(shell.scope.folders[0], word))
  if (from !== undefined && to !== undefined) shell.links.set(from, to)
}

/** `src`, `conf.d`, `v1.2` may be folders; `a.js` and `a.js.bak` are hardly ones. */
const FOLDER_EXTENSION = /^(?:\.d|\.\d\w*)?$/

/** Without access to the disk, `cp a.js src` may write `src` or `src/a.js`: records both. */
function targets({
  target,
  source,
  intoFolder,
  neverFolder,
}: {
  target: string
  source: string
  intoFolder: boolean
  neverFolder: boolean
}): readonly string[] {
  const inside = below(target, namesFolder(source) ? lastName(source.replace(/\/+$/, '')) : lastName(source))
  if (neverFolder) return [target]
  if (intoFolder) return [inside]
  if (!isKnown(target)) return [target]
  return FOLDER_EXTENSION.test(extension(target)) ? [target, inside] : [target]
}

function contentFrom(shell: Shell, source: string, kind: 'copy' | 'move'): ShellContent {
  const stream = isRemote(source) ? undefined : readFrom(shell, source)
  if (!stream) return { kind: 'unknown', why: `what ${readable(source)} holds is only known then` }
  const content = contentOf(stream, false)
  return content.kind === 'copy' && kind === 'move' ? { kind, from: content.from } : content
}

function isRemote(word: string): boolean {
  return /^(?:[\w.-]+@)?[\w.-]{2,}:(?!\\)/.test(word) || word.startsWith('rsync://')
}

/** A link is written at its own path, with the content of its target. */
function link(shell: Shell, { args }: Call): Stream {
  const options = readOptions(args, NAMES)
  const folder = options.find('t', 'target-directory')
  const sources =
    folder === undefined && options.words.length > 1 ? options.words.slice(0, -1) : options.words
  const target = folder ?? (options.words.length > 1 ? (options.words.at(-1) ?? '.') : '.')
  const intoFolder = folder !== undefined || sources.length > 1 || namesFolder(target)
  const neverFolder = options.find('T', 'n', 'no-target-directory', 'no-dereference') !== undefined
  for (const source of sources) {
    for (const path of targets({ target, source, intoFolder, neverFolder })) {
      // A symbolic link's target is relative to the link.
      const from = options.find('s', 'symbolic') === undefined ? source : besides(path, source)
      shell.write(path, contentFrom(shell, from, 'copy'))
      if (options.find('S', 'suffix') !== undefined)
        shell.write(`${path}${options.find('S', 'suffix') ?? ''}`, {
          kind: 'unknown',
          why: 'what was there is kept there',
        })
      noteLink(shell, path, from)
    }
  }
  return NOTHING
}

function besides(path: string, source: string): string {
  if (!isKnown(path) || !isKnown(source) || source.startsWith('/') || !path.includes('/')) return source
  return below(path.slice(0, path.lastIndexOf('/') + 1), source)
}

function install(shell: Shell, { args }: Call): Stream {
  const options = readOptions(args, {
    values: 'mogtSB',
    longValues: ['mode', 'owner', 'group', 'target-directory', 'suffix', 'strip-program'],
  })
  if (options.find('d', 'directory') === undefined) transfer(shell, options, 'copy')
  return NOTHING
}
