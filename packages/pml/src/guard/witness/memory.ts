import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../machine/files/replace-file.ts'
import type { Held } from './kept-files.ts'
import { doubt, insideOf, ROW, type SeenFolder, type Survey } from './survey.ts'

/** The last state that was found good. */
export interface Remembered {
  /** What the rules were: under others another set of files is protected. */
  readonly scope: string
  readonly survey: Survey
  /** Whether files are among `files` that the survey does not have. */
  readonly hasOthers: boolean
  /** What each file held. */
  files(): Map<string, Held>
}

/** What is to be remembered. */
interface ToRemember extends Pick<Remembered, 'scope' | 'survey'> {
  readonly files: ReadonlyMap<string, Held>
  /** Files that the next look must read, whatever the system says of them. */
  readonly doubts: ReadonlySet<string>
}

/** What somebody approved for a path, once: the hash of its content, or whatever the next change makes of it. */
export interface Allowed {
  readonly path: string
  readonly hash: string | undefined
  readonly at: number
}

/** What is known beside the files. */
export interface Notes {
  readonly allowed: readonly Allowed[]
  /** Files that break a rule and were not put back: path to hash, empty where the file is gone. */
  readonly broken: Readonly<Record<string, string>>
  /** Those that had a call here. */
  readonly sessions: readonly string[]
  /** What was known before was lost while an agent was at work, and no person has looked since. */
  readonly isLost: boolean
}

export const noNotes: Notes = { allowed: [], broken: {}, sessions: [], isLost: false }

export interface Memory {
  /** Undefined where nothing was written by this version of pml. Throws where what was written is damaged. */
  read(): Remembered | undefined
  write(remembered: ToRemember): void
  /** Undefined where there are none, or they cannot be read. */
  readNotes(): Notes | undefined
  writeNotes(notes: Notes): void
}

/** Before the numbers and what files held. */
interface Header {
  readonly version: typeof VERSION
  readonly scope: string
  readonly at: number
  readonly isWhole: boolean
  /** Path, names of folders, names of files. */
  readonly folders: readonly (readonly [string, readonly string[], readonly string[]])[]
  /** Whole paths of files that the survey does not have. */
  readonly others: readonly string[]
}

const VERSION = 2
const NUMBER_BYTES = 8

/** In a folder of the person's own. */
export function openMemory(folder: string): Memory {
  const [seen, notes] = [join(folder, 'seen'), join(folder, 'notes.json')]
  return {
    read: () => {
      const bytes = findBytes(seen)
      return bytes && decode(bytes)
    },
    write: (remembered) => replaceFile(seen, encode(remembered)),
    readNotes: () => {
      const value = readJson(notes) as Partial<Notes> | undefined
      return value && { ...noNotes, ...value }
    },
    writeNotes: (value) => replaceFile(notes, JSON.stringify(value)),
  }
}

/** The length of the header, the header, the rows of numbers, and what the files held, which is read when something changed. */
function encode({ scope, survey, files, doubts }: ToRemember): Buffer {
  const { at, isWhole, folders } = survey
  const stamps = Float64Array.from(survey.stamps)
  const left = new Set(files.keys())
  const held: (Held | null)[] = []
  for (const { path, files: names, row } of folders)
    for (const [index, name] of names.entries()) {
      const file = `${insideOf(path)}${name}`
      const one = files.get(file)
      held.push(one ?? null)
      left.delete(file)
      if (!one || doubts.has(file)) stamps.set(doubt, (row + 1 + index) * ROW)
    }
  const others = [...left]
  const header: Header = {
    version: VERSION,
    scope,
    at,
    isWhole,
    folders: folders.map(({ path, folders: names, files: own }) => [path, names, own]),
    others,
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(NUMBER_BYTES)
  length.writeUInt32LE(text.length)
  const contents = Buffer.from(JSON.stringify([...held, ...others.map((path) => files.get(path))]))
  return Buffer.concat([length, text, Buffer.from(stamps.buffer), contents])
}

function decode(bytes: Buffer): Remembered | undefined {
  const end = NUMBER_BYTES + bytes.readUInt32LE()
  const header = JSON.parse(bytes.toString('utf8', NUMBER_BYTES, end)) as Header
  if (header.version !== VERSION) return undefined
  const { scope, at, isWhole, others } = header
  let row = 0
  const folders = header.folders.map(([path, names, files]): SeenFolder => {
    const folder = { path, folders: names, files, row }
    row += 1 + files.length
    return folder
  })
  const size = row * ROW * NUMBER_BYTES
  const numbers = bytes.buffer.slice(bytes.byteOffset + end, bytes.byteOffset + end + size)
  const stamps = new Float64Array(numbers)
  if (stamps.length !== row * ROW) throw new Error('expected more rows')
  const paths = () =>
    folders.flatMap(({ path, files }) => files.map((name) => `${insideOf(path)}${name}`)).concat(others)
  const files = () => {
    const contents = JSON.parse(bytes.toString('utf8', end + size)) as (Held | null)[]
    return new Map(paths().flatMap((path, index) => (contents[index] ? [[path, contents[index]]] : [])))
  }
  return { scope, survey: { at, isWhole, folders, stamps }, hasOthers: others.length > 0, files }
}

function findBytes(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
