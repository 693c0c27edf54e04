import { execFileSync } from 'node:child_process'
import { isUtf8 } from 'node:buffer'
import type { FileContent } from '@pml/hooks'

/** A file that a commit changed. */
export interface CommittedChange {
  readonly commit: string
  readonly path: string
  /** The old path, if the commit moved the file. */
  readonly from: string
  readonly before: FileContent
  readonly after: FileContent
}

export interface CommitRange {
  /** The number of commits to read, without merges. */
  readonly most: number
  /** The commit to start from. */
  readonly from: 'newest' | 'oldest'
  /** Selects files by path. */
  isWanted(path: string): boolean
}

/** Reads the selected files before and after each commit. `folder` is a repository or its git folder. */
export function readCommits(folder: string, { most, from: end, isWanted }: CommitRange): CommittedChange[] {
  const entries = listEntries(folder).filter(({ from, path }) => isWanted(from) || isWanted(path))
  const all = [...new Set(entries.map(({ commit }) => commit))]
  const commits = new Set(end === 'newest' ? all.slice(0, most) : all.slice(-most))
  const chosen = entries.filter(({ commit }) => commits.has(commit))
  const contents = readBlobs(
    folder,
    chosen.flatMap(({ blobs }) => blobs),
  )
  const contentOf = (blob: string) => contents.get(blob) ?? { kind: 'missing' }
  return chosen.map(({ blobs: [before, after], ...entry }) => ({
    ...entry,
    before: contentOf(before),
    after: contentOf(after),
  }))
}

interface Entry {
  readonly commit: string
  readonly path: string
  readonly from: string
  readonly blobs: readonly [before: string, after: string]
}

const MOST_OUTPUT = 2 ** 30

function git(folder: string, args: readonly string[], input = ''): Buffer {
  return execFileSync('git', ['-C', folder, ...args], { input, maxBuffer: MOST_OUTPUT })
}

/** Reads `git log --raw -z`: a commit's line, then for each file its blobs and one path, or two if it was moved. */
function listEntries(folder: string): Entry[] {
  const log = git(folder, [
    'log',
    '--no-merges',
    '--raw',
    '-z',
    '--find-renames',
    '--abbrev=40',
    '--format=commit:%H',
  ])
  const parts = log.toString('utf8').split('\0')
  const entries: Entry[] = []
  let commit = ''
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]?.trim() ?? ''
    if (part.startsWith('commit:')) commit = part.slice('commit:'.length)
    const [, oldMode, newMode, before = '', after = '', status = ''] =
      /^:(\d+) (\d+) (\w+) (\w+) ([A-Z])/.exec(part) ?? []
    if (status === '') continue
    const from = parts[++at] ?? ''
    const path = status === 'R' || status === 'C' ? (parts[++at] ?? '') : from
    const isFile = [oldMode, newMode].every((mode) => mode === '000000' || mode?.startsWith('100'))
    if (isFile && before !== after) entries.push({ commit, from, path, blobs: [before, after] })
  }
  return entries
}

function readBlobs(folder: string, blobs: readonly string[]): Map<string, FileContent> {
  const wanted = [...new Set(blobs)].filter((blob) => !/^0+$/.test(blob))
  const output = git(folder, ['cat-file', '--batch'], `${wanted.join('\n')}\n`)
  const contents = new Map<string, FileContent>()
  let at = 0
  for (const blob of wanted) {
    const headerEnd = output.indexOf('\n', at)
    const sizeBytes = Number(output.toString('utf8', at, headerEnd).split(' ')[2])
    // A shallow or partial clone does not have every blob.
    if (Number.isNaN(sizeBytes)) contents.set(blob, { kind: 'unknown' })
    else contents.set(blob, contentOf(output.subarray(headerEnd + 1, headerEnd + 1 + sizeBytes)))
    at = headerEnd + 1 + (Number.isNaN(sizeBytes) ? 0 : sizeBytes + 1)
  }
  return contents
}

function contentOf(bytes: Buffer): FileContent {
  if (!isUtf8(bytes) || bytes.includes(0)) return { kind: 'unknown', isThere: true }
  return { kind: 'text', text: bytes.toString('utf8') }
}
