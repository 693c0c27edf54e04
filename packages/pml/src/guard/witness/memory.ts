import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../machine/files/replace-file.ts'
import type { Held } from './kept-files.ts'
import { doubt, insideOf, ROW, type SeenFolder, type Survey } from './survey.ts'

/** The last accepted state. */
export interface Remembered {
  /** The rules at that time: other rules protect other files. */
  readonly scope: string
  readonly survey: Survey
  /** Whether `files` has files that are not in the survey. */
  readonly hasOthers: boolean
  /** The content of each file. */
  files(): Map<string, Held>
}

/** A state to remember. */
interface ToRemember extends Pick<Remembered, 'scope' | 'survey'> {
  readonly files: ReadonlyMap<string, Held>
  /** Files that the next survey must read, even if their metadata is unchanged. */
  readonly doubts: ReadonlySet<string>
}

/** A one-time approval for a path: the hash of its content, or undefined for any next content. */
export interface Allowed {
  readonly path: string
  readonly hash: string | undefined
  readonly at: number
}

/** Notes about a territory. */
export interface Notes {
  readonly allowed: readonly Allowed[]
  /** Held files: path to hash, empty if the file is gone. */
  readonly broken: Readonly<Record<string, string>>
  /** Sessions that made a call here. */
  readonly sessions: readonly string[]
  /** Earlier notes were lost during a call, and no person has accepted that yet. */
  readonly isLost: boolean
}

export const noNotes: Notes = { allowed: [], broken: {}, sessions: [], isLost: false }

export interface Memory {
  /** Undefined if this version of pml has written nothing. Throws if the file is damaged. */
  read(): Remembered | undefined
  write(remembered: ToRemember): void
  /** Undefined if there are none or they cannot be read. */
  readNotes(): Notes | undefined
  writeNotes(notes: Notes): void
}

/** The header of the file, before the stamps and contents. */
interface Header {
  readonly version: typeof VERSION
  readonly scope: string
  readonly at: number
  readonly isWhole: boolean
  /** Path, names of subfolders, names of files. */
  readonly folders: readonly (readonly [string, readonly string[], readonly string[]])[]
  /** Full paths of files that are not in the survey. */
  readonly others: readonly string[]
}

const VERSION = 2
const NUMBER_BYTES = 8

/** Opens the memory in a folder of the person's state. */
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

/** Header length, header, stamps, and contents. The contents are only parsed after a change. */
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
