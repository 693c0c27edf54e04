import { Agent } from 'node:http'
import type { Bench } from '../bench.ts'
import type { LineName } from '../lines.ts'
import { median } from '../median.ts'
import { readCatalogPage, type TimedPage } from './read-catalog-page.ts'
import type { GrownRegistry } from './start-grown-registries.ts'

const PLACES = ['first', 'middle', 'last'] as const
type Place = (typeof PLACES)[number]

/** The same request for three positions in the catalog. */
type Questions = Readonly<Record<Place, string>>

const LEAST = 50
const MOST = 100
const CURSORS = 100

/**
 * Latency of the last page divided by that of the first, one request at a time. The registry caches pages, so no page is
 * requested twice: by number, each limit from 50 to 100 gives different pages, of which the first and the last full one count;
 * by cursor, each page begins one entry later. The middle is only printed.
 */
export async function measureDeepPages(bench: Bench, { url, fqdns }: GrownRegistry): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const read = (query: string) => readCatalogPage(`${url}/mcp?${query}`, agent)
  const { ms } = await read('limit=1')
  const total = fqdns.length
  bench.tell(
    `deep-page: ${ms.toFixed(0)} ms for the very first page, when nothing is known about the catalog`,
  )
  const cursors = await readCursors(total, read)
  await measure(bench, 'deep-page', { questions: pagesByNumber(total), read })
  await measure(bench, 'deep-cursor', { questions: cursors, read })
  agent.destroy()
}

function pagesByNumber(total: number): Questions[] {
  const limits = Array.from({ length: MOST - LEAST + 1 }, (_, index) => LEAST + index)
  return limits.flatMap((limit) => {
    const full = Math.floor(total / limit)
    const query = (page: number) => `limit=${limit}&page=${page}`
    return [0, 1].map((step) => ({
      first: query(1 + step),
      middle: query((full >> 1) + step),
      last: query(full - step),
    }))
  })
}

/** A page of one entry gives the cursor for the entries after it. These reads also warm up the registry. */
async function readCursors(total: number, read: (query: string) => Promise<TimedPage>): Promise<Questions[]> {
  const after = async (position: number) => {
    const { nextCursor } = await read(`limit=1&page=${position}`)
    if (nextCursor === undefined) throw new Error(`Cannot go on behind entry ${position} of ${total}`)
    return `limit=${LEAST}&cursor=${nextCursor}`
  }
  const questions: Questions[] = []
  for (let step = 1; step <= CURSORS; step++) {
    questions.push({
      first: await after(step),
      middle: await after((total >> 1) + step),
      last: await after(total - LEAST - step),
    })
  }
  return questions
}

interface Asking {
  readonly questions: readonly Questions[]
  readonly read: (query: string) => Promise<TimedPage>
}

async function measure({ report, tell }: Bench, name: LineName, { questions, read }: Asking): Promise<void> {
  const times: Record<Place, number[]> = { first: [], middle: [], last: [] }
  for (const [turn, question] of questions.entries()) {
    // Later measurements find the registry warmer.
    const order = turn % 2 === 0 ? PLACES : PLACES.toReversed()
    for (const place of order) times[place].push((await read(question[place])).ms)
  }
  const ms = { first: median(times.first), middle: median(times.middle), last: median(times.last) }
  tell(`${name}: ${PLACES.map((place) => `${place} ${ms[place].toFixed(2)} ms`).join(', ')}`)
  report(name, ms.last / ms.first)
}
