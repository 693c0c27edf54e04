import type { Name } from '@pml/core'
import type { BodyFile } from './body-file.ts'
import { readRecord, writeRecord } from './entry-record.ts'
import type { Entry } from './entry.ts'

/** Entries near at hand: where they lie in memory, they themselves in a local file, a hundred times nearer than a query. */
export interface EntryStore {
  /** Throws `unavailable` when the file cannot be read. */
  get(name: Name): Entry | undefined
  set(entry: Entry): void
  delete(name: Name): void
  clear(): void
  /** Whether more can be held without forgetting anything. */
  readonly hasRoom: boolean
  readonly heldBytes: number
}

/** Where an entry lies in the file. */
interface Place {
  readonly name: Name
  readonly position: number
  readonly length: number
  reads: number
  /** The entry itself, frozen, while it is read often. */
  hot: Entry | undefined
}

interface Segment {
  readonly start: number
  places: Place[]
  used: number
}

interface Limits {
  readonly memoryBytes: number
  readonly fileBytes: number
}

const SEGMENTS = 16
/**
 * Entries that are read often stay in memory as well; when they exceed this, all start anew from the file. Only often:
 * what comes and goes would be garbage that the collector lets pile up.
 */
const HOT_BYTES = 4 * 1024 * 1024
const HOT_READS = 64
/** What an entry costs in memory, measured: its name, its place, the map's share. */
const ENTRY_BYTES = 250

/**
 * Segments of the file are filled one after the other and reused in turn. What was read since it was written moves on
 * into the next segment, up to half of it; the rest is forgotten. So often-read entries stay, without a list to keep
 * in order.
 */
export function createEntryStore(file: BodyFile, { memoryBytes, fileBytes }: Limits): EntryStore {
  const segmentBytes = Math.floor(fileBytes / SEGMENTS)
  const segmentPlaces = Math.max(1, Math.floor(memoryBytes / ENTRY_BYTES / SEGMENTS))
  const places = new Map<Name, Place>()
  const hot = createHotEntries()
  let segments: Segment[] = [{ start: 0, places: [], used: 0 }]

  function keep(name: Name, record: string): void {
    if (record.length > segmentBytes / 4) return
    let segment = segments.at(-1)
    if (!segment || segment.used + record.length > segmentBytes || segment.places.length >= segmentPlaces)
      segment = nextSegment()
    const position = segment.start + segment.used
    file.write(record, position)
    segment.used += record.length
    const place: Place = { name, position, length: record.length, reads: 0, hot: undefined }
    segment.places.push(place)
    places.set(name, place)
  }

  function nextSegment(): Segment {
    const oldest = segments.length < SEGMENTS ? undefined : segments.shift()
    const moving = oldest ? stillWanted(oldest) : []
    segments.push({ start: oldest?.start ?? segments.length * segmentBytes, places: [], used: 0 })
    for (const { name, record } of moving) keep(name, record)
    return segments.at(-1) ?? nextSegment()
  }

  /** Taken out before the segment is written over. */
  function stillWanted(segment: Segment): { name: Name; record: string }[] {
    const current = segment.places.filter((place) => places.get(place.name) === place)
    for (const { name } of current) places.delete(name)
    let room = segmentBytes / 2
    return current
      .filter(({ reads }) => reads > 0)
      .slice(0, segmentPlaces / 2)
      .filter(({ length }) => (room -= length) > 0)
      .map(({ name, position, length }) => ({ name, record: file.read(position, length) }))
  }

  return {
    get: (name) => {
      const place = places.get(name)
      if (!place) return undefined
      if (place.hot) return place.hot
      const entry = readRecord(name, file.read(place.position, place.length))
      if (++place.reads % HOT_READS === 0) hot.add(place, entry)
      return entry
    },
    set: (entry) => {
      places.delete(entry.name)
      keep(entry.name, writeRecord(entry))
    },
    delete: (name) => void places.delete(name),
    clear: () => {
      places.clear()
      hot.cool()
      segments = [{ start: 0, places: [], used: 0 }]
    },
    get hasRoom() {
      return segments.length < SEGMENTS
    },
    get heldBytes() {
      return places.size * ENTRY_BYTES
    },
  }
}

function createHotEntries() {
  let places: Place[] = []
  let bytes = 0

  function cool(): void {
    for (const place of places) place.hot = undefined
    places = []
    bytes = 0
  }

  function add(place: Place, entry: Entry): void {
    if (place.length > HOT_BYTES / 4) return
    if (bytes + place.length > HOT_BYTES) cool()
    place.hot = Object.freeze(entry)
    places.push(place)
    bytes += place.length
  }

  return { add, cool }
}
