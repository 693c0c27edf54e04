import { posix, win32 } from 'node:path'
import { hole, isKnown } from './holes.ts'
import type { Folder } from './shell.ts'

const WINDOWS = /^(?:[a-z]:[\\/]|\\\\)/i
const NO_FILE =
  /^(?:\/dev\/(?:null|stdin|stdout|stderr|tty|zero|full|fd\/.*|tcp\/.*|udp\/.*)|\/proc\/self\/fd\/.*|nul)$/i

/** Absolute and without `..`; undefined if the word or the folder is unknown. */
export function wholePath(folder: Folder, word: string): string | undefined {
  if (!isKnown(word)) return undefined
  if (WINDOWS.test(word)) return win32.normalize(word)
  const ofProcess = /^\/proc\/(?:self|thread-self|\d+)\/(?:cwd|root(?=\/))([^]*)$/.exec(posix.normalize(word))
  if (ofProcess?.[1] !== undefined && word.includes('/root')) return trimmed(posix.normalize(ofProcess[1]))
  if (ofProcess?.[1] !== undefined) return folder === undefined ? undefined : trimmed(folder + ofProcess[1])
  if (word.startsWith('/')) return trimmed(posix.normalize(word))
  if (folder === undefined) return undefined
  return WINDOWS.test(folder) ? win32.join(folder, word) : trimmed(posix.join(folder, word))
}

/** A device, a pipe or a descriptor: writes to it leave nothing behind. */
export function isNoFile(path: string): boolean {
  return NO_FILE.test(path)
}

/** The last component of a path. A hole that may contain slashes is kept whole. */
export function lastName(word: string): string {
  if (isKnown(word)) return posix.basename(word)
  const [, name] = /^(?:[^\0]|\0[^\0]*\0)*\/((?:[^\0/]|\0[*?[][^\0/]*\0)+)$/.exec(`/${word}`) ?? []
  return name ?? hole(word)
}

export function below(folder: string, name: string): string {
  return folder === '' || folder.endsWith('/') ? folder + name : `${folder}/${name}`
}

/** Its spelling can only mean a folder. */
export function namesFolder(word: string): boolean {
  return /(?:^|\/)\.{0,2}$/.test(word) && word !== ''
}

export function extension(word: string): string {
  return posix.extname(lastName(word))
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
