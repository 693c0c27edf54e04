import type { Integrity, Name, Routing } from '@pml/core'
import type { McpType, Visibility } from '../db/schema.ts'
import type { ByteString } from '../http/answer.ts'
import type { BodyFile } from './body-file.ts'
import type { Entry } from './entry.ts'

/** Entries near at hand: what they are in memory, their bodies in a local file, which is a hundred times nearer than a query. */
export interface EntryStore {
  /** The body of what this gives must be taken at once: later its place may be another's. */
  get(name: Name): Entry | undefined
  set(entry: Entry): void
  delete(name: Name): void
  clear(): void
  readonly heldBytes: number
}

interface Segment {
  readonly start: number
  entries: HeldEntry[]
  used: number
}

interface Limits {
  /** For everything but bodies. */
  readonly memoryBytes: number
  readonly fileBytes: number
}

const SEGMENTS = 16
/**
 * Bodies that are read often stay in memory as well; when they exceed this, all start anew from the file. Only often:
 * what comes and goes would be garbage that the collector lets pile up.
 */
const HOT_BYTES = 4 * 1024 * 1024
const HOT_READS = 64
/** What an entry costs in memory, measured: strings, objects, the map's share. */
const ENTRY_BYTES = 500

/**
 * Segments of the file are filled one after the other and reused in turn. What was read since it was written moves on
 * into the next segment, up to half of it; the rest is forgotten. So often-read entries stay, without a list to keep
 * in order.
 */
export function createEntryStore(file: BodyFile, { memoryBytes, fileBytes }: Limits): EntryStore {
  const segmentBytes = Math.floor(fileBytes / SEGMENTS)
  const segmentEntries = Math.max(1, Math.floor(memoryBytes / ENTRY_BYTES / SEGMENTS))
  const held = new Map<Name, HeldEntry>()
  const hot = createHotBodies(file)
  let segments: Segment[] = [{ start: 0, entries: [], used: 0 }]

  function keep(entry: Entry, body: ByteString): void {
    if (body.length > segmentBytes / 4) return
    let segment = segments.at(-1)
    if (!segment || segment.used + body.length > segmentBytes || segment.entries.length >= segmentEntries)
      segment = nextSegment()
    const position = segment.start + segment.used
    file.write(body, position)
    segment.used += body.length
    const kept = new HeldEntry(entry, hot, position, body.length)
    segment.entries.push(kept)
    held.set(entry.name, kept)
  }

  function nextSegment(): Segment {
    const oldest = segments.length < SEGMENTS ? undefined : segments.shift()
    const moving = oldest ? stillWanted(oldest) : []
    segments.push({ start: oldest?.start ?? segments.length * segmentBytes, entries: [], used: 0 })
    for (const { entry, body } of moving) keep(entry, body)
    return segments.at(-1) ?? nextSegment()
  }

  /** Taken out before the segment is written over. */
  function stillWanted({ entries }: Segment): { entry: Entry; body: ByteString }[] {
    const current = entries.filter((entry) => held.get(entry.name) === entry)
    for (const { name } of current) held.delete(name)
    let room = segmentBytes / 2
    return current
      .filter(({ visited }) => visited)
      .slice(0, segmentEntries / 2)
      .filter(({ length }) => (room -= length) > 0)
      .map((entry) => ({ entry, body: entry.body }))
  }

  return {
    get: (name) => {
      const entry = held.get(name)
      if (entry) entry.visited = true
      return entry
    },
    set: (entry) => {
      held.delete(entry.name)
      keep(entry, entry.body)
    },
    delete: (name) => void held.delete(name),
    clear: () => {
      held.clear()
      hot.cool()
      segments = [{ start: 0, entries: [], used: 0 }]
    },
    get heldBytes() {
      return held.size * ENTRY_BYTES
    },
  }
}

interface HotBodies {
  read(entry: HeldEntry): ByteString
  cool(): void
}

function createHotBodies(file: BodyFile): HotBodies {
  let warm: HeldEntry[] = []
  let bytes = 0

  function cool(): void {
    for (const entry of warm) {
      entry.hot = undefined
      entry.reads = 0
    }
    warm = []
    bytes = 0
  }

  return {
    cool,
    read: (entry) => {
      const body = file.read(entry.position, entry.length)
      if (++entry.reads < HOT_READS || body.length > HOT_BYTES / 4) return body
      if (bytes + body.length > HOT_BYTES) cool()
      entry.hot = body
      warm.push(entry)
      bytes += body.length
      return body
    },
  }
}

class HeldEntry implements Entry {
  readonly name: Name
  readonly hash: string
  readonly integrity: Integrity
  readonly visibility: Visibility
  readonly retired: boolean
  readonly type: McpType
  readonly routing: Routing
  readonly digest: string
  readonly length: number
  readonly position: number
  readonly #bodies: HotBodies
  hot: ByteString | undefined
  reads = 0
  visited = false

  constructor(entry: Entry, bodies: HotBodies, position: number, length: number) {
    this.name = entry.name
    this.hash = entry.hash
    this.integrity = entry.integrity
    this.visibility = entry.visibility
    this.retired = entry.retired
    this.type = entry.type
    this.routing = entry.routing
    this.digest = entry.digest
    this.length = length
    this.position = position
    this.#bodies = bodies
  }

  get body(): ByteString {
    return this.hot ?? this.#bodies.read(this)
  }
}
