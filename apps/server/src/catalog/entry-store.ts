import type { Name } from '@pml/core'
import type { BodyFile } from './body-file.ts'
import { readRecord, writeRecord } from './entry-record.ts'
import type { Entry } from './entry.ts'

/** Caches entries in a local file with an index in memory: a hundred times faster than a query. */
export interface EntryStore {
  /** Throws `unavailable` if the file cannot be read. */
  get(name: Name): Entry | undefined
  set(entry: Entry): void
  delete(name: Name): void
  clear(): void
  /** Whether there is space for more entries without eviction. */
  readonly hasRoom: boolean
  readonly heldBytes: number
}

/** The position of an entry in the file. */
interface Place {
  readonly name: Name
  readonly position: number
  readonly length: number
  reads: number
  /** The frozen entry, while it is read often. */
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
 * The memory for frequently read entries; when it is full, all of it is cleared. Other entries are not kept in memory,
 * because short-lived copies would pile up as garbage.
 */
const HOT_BYTES = 4 * 1024 * 1024
const HOT_READS = 64
/** The measured memory cost of an entry: its name, its place and its share of the map. */
const ENTRY_BYTES = 250

/**
 * Fills the segments of the file in turn and reuses the oldest. Entries of a reused segment that were read move to the
 * next one, up to half of it; the rest is evicted. This keeps frequently read entries without an LRU list.
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

  /** Removes the entries of a segment before it is overwritten, and returns the ones to keep. */
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
