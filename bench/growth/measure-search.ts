import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { newKey } from '../hooks/new-key.ts'
import { median } from '../median.ts'
import { readAnswer } from '../raw-answer.ts'
import { startRegistry, type Registry } from '../registry/start-registry.ts'
import { createDatabase, startPostgres } from '../start-postgres.ts'
import { createStops } from '../stops.ts'
import { makeTempFolder } from '../temp-folder.ts'
import { seedEntries } from './seed-entries.ts'
import { createVocabulary } from './vocabulary.ts'
import { createRandom, createZipf } from './zipf.ts'

const LARGE = 1_000_000
const SMALL = 1000
const SEARCHES = 300
const STARTS = 5
const SEARCHERS = 40
const DECISIONS = 60

/** A database that several servers start on in turn, with the key that signs its log. */
interface Seeded {
  readonly databaseUrl: string
  readonly env: { readonly PML_LOG_KEY_FILE: string }
}

/** Measures what a thousand times the entries cost a search and a start, and what searches cost other requests. */
export async function measureSearch(bench: Bench): Promise<void> {
  const { wanted, stops, tell } = bench
  const isSearched = wanted.has('search-1m') || wanted.has('search-load')
  if (!isSearched && !wanted.has('start-1m')) return
  const postgresUrl = await startPostgres({ stops })
  const keys = await makeTempFolder(stops)
  const seed = async (count: number): Promise<Seeded> => {
    tell(`seeding ${count} entries`)
    const databaseUrl = await createDatabase(postgresUrl, `searched_${count}`)
    await seedEntries(databaseUrl, count)
    return { databaseUrl, env: { PML_LOG_KEY_FILE: join(keys, `log-key-${count}`) } }
  }
  const [small, large] = [await seed(SMALL), await seed(LARGE)]
  if (wanted.has('start-1m')) await measureStarts(bench, { small, large })
  if (!isSearched) return
  const registry = await startRegistry(stops, large)
  if (wanted.has('search-1m'))
    await measureLatency(bench, {
      small: await startRegistry(stops, small),
      large: registry,
    })
  if (wanted.has('search-load')) await measureLoad(bench, registry)
}

/**
 * Time from the start of the process until it is ready. The first start does not count, because it applies the configuration.
 */
async function measureStarts(
  { report, tell }: Bench,
  databases: { small: Seeded; large: Seeded },
): Promise<void> {
  const times: Record<'small' | 'large', number[]> = { small: [], large: [] }
  for (let round = 0; round <= STARTS; round++) {
    for (const size of ['small', 'large'] as const) {
      const stops = createStops()
      const began = performance.now()
      const { url } = await startRegistry(stops, databases[size])
      const agent = new Agent()
      while ((await readAnswer(`${url}/readyz`, { agent })).status !== 200) await sleep(10)
      if (round > 0) times[size].push(performance.now() - began)
      agent.destroy()
      await stops.run()
    }
  }
  const ms = { small: median(times.small), large: median(times.large) }
  tell(`start-1m: ${ms.large.toFixed(0)} ms with ${LARGE} entries, ${ms.small.toFixed(0)} ms with ${SMALL}`)
  report('start-1m', ms.large / ms.small)
}

/** One search at a time, never repeated, because the registry caches pages. */
async function measureLatency(
  { report, tell }: Bench,
  registries: { small: Registry; large: Registry },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: Record<'small' | 'large', number[]> = { small: [], large: [] }
  const next = createQuestions(1)
  for (let turn = 0; turn < SEARCHES; turn++) {
    const question = next()
    for (const size of ['small', 'large'] as const) {
      const began = performance.now()
      const { status } = await readAnswer(`${registries[size].url}/mcp?${question}`, { agent })
      times[size].push(performance.now() - began)
      if (status !== 200) throw new Error(`Cannot search for ${question}: expected 200, got ${status}`)
    }
  }
  agent.destroy()
  for (const size of ['small', 'large'] as const) {
    const sorted = times[size].toSorted((a, b) => a - b)
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
    tell(`search-1m: ${size} p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms`)
  }
  report('search-1m', median(times.large) / median(times.small))
}

/** One word, two words, a prefix or a misspelled word; common words more often than rare ones. */
function createQuestions(seed: number): () => string {
  const random = createRandom(seed)
  const draw = createZipf(createVocabulary())
  const forms = [
    () => draw(random),
    () => `${draw(random)} ${draw(random)}`,
    () => draw(random).slice(0, 4),
    () => draw(random).replace(/^(..)(.)(.)/, '$1$3$2'),
  ]
  let turn = 0
  return () => {
    const form = forms[turn++ % forms.length]
    return new URLSearchParams({ q: form?.() ?? '', limit: String(20 + (turn % 80)) }).toString()
  }
}

/** Blocks, approves and spends one change after another, without and with clients that search all the time. */
async function measureLoad({ report, tell, stops }: Bench, registry: Registry): Promise<void> {
  const decide = await createDecisions(registry)
  for (let warmUp = 0; warmUp < DECISIONS; warmUp++) await decide()
  const alone: number[] = []
  const among: number[] = []
  for (let round = 0; round < 3; round++) {
    for (let turn = 0; turn < DECISIONS; turn++) alone.push(await decide())
    const searchers = startSearchers(registry, round)
    stops.add(async () => void (await searchers.stop()))
    for (let turn = 0; turn < DECISIONS; turn++) among.push(await decide())
    const { answered, refused } = await searchers.stop()
    tell(`search-load: ${answered} searches were answered meanwhile, ${refused} refused`)
  }
  tell(
    `search-load: ${median(among).toFixed(1)} ms with ${SEARCHERS} searchers, ${median(alone).toFixed(1)} ms without`,
  )
  report('search-load', median(among) / median(alone))
}

async function createDecisions(registry: Registry): Promise<() => Promise<number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const hook = await newKey(registry, { scopes: ['hook'] })
  const approver = await newKey(registry, { scopes: ['approve'], specialist: 'bench' })
  const post = async (path: string, key: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await readAnswer(`${registry.url}${path}`, { headers, body: JSON.stringify(body), agent })
    const text = new TextDecoder().decode(answer.body)
    if (answer.status >= 300) throw new Error(`Cannot post to ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as { id: string; token: string }
  }
  return async () => {
    const change = { path: 'notes/bench.md', content: randomBytes(200).toString('hex') }
    const began = performance.now()
    const { id } = await post('/approvals/changes', hook, { tool: 'Write', ...change })
    const { token } = await post(`/approvals/changes/${id}/approve`, approver, { reason: 'bench' })
    await post('/approvals/spend', hook, { ...change, token })
    return performance.now() - began
  }
}

/** Waits as long as a refusal says, like well-behaved clients. */
function startSearchers({ url }: Registry, seed: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: SEARCHERS })
  const counts = { answered: 0, refused: 0 }
  const stopping = new AbortController()
  const search = async (next: () => string) => {
    while (!stopping.signal.aborted) {
      const { status, headers } = await readAnswer(`${url}/mcp?${next()}`, { agent })
      if (status === 200) counts.answered++
      else {
        counts.refused++
        const seconds = Number(headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1] ?? 1)
        await sleep(seconds * 1000, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }
  const running = Array.from({ length: SEARCHERS }, (_, at) =>
    search(createQuestions(1000 * (seed + 1) + at)),
  )
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
      agent.destroy()
      return counts
    },
  }
}
