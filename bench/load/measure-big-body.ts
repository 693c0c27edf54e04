import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { ask, forkProgram, stopProcess } from '../child-process.ts'
import { startRegistry } from '../registry/start-registry.ts'

const NAME = 'big-body'
const ROUND_MS = 6000
const PAUSE_MS = 5

/** The p99 of /healthz while anonymous clients keep posting 4 MiB, divided by that of an idle server. */
export async function measureBigBody(bench: Bench): Promise<void> {
  if (!bench.wanted.has(NAME)) return
  bench.tell('starting a registry for large bodies')
  const { url } = await startRegistry(bench.stops)
  await measureP99(url, ROUND_MS / 3)
  const idle = await measureP99(url, ROUND_MS)
  const clients = forkProgram(new URL('big-body-clients.ts', import.meta.url))
  bench.stops.add(() => stopProcess(clients))
  const answer = ask(clients, { url: `${url}/tools/catalog_search` })
  const loaded = await measureP99(url, ROUND_MS)
  clients.send({})
  const { posts } = (await answer) as { posts: number }
  bench.tell(`${NAME}: p99 ${idle.toFixed(2)} ms idle, ${loaded.toFixed(2)} ms with ${posts} large bodies`)
  if (posts === 0) throw new Error(`Cannot measure ${NAME}: no body was answered`)
  bench.report(NAME, loaded / idle)
}

async function measureP99(url: string, durationMs: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (const end = performance.now() + durationMs; performance.now() < end; await pause(PAUSE_MS)) {
    const began = performance.now()
    await new Promise<void>((done, fail) => {
      request(`${url}/healthz`, { agent }, (response) => response.resume().on('end', done))
        .on('error', fail)
        .end()
    })
    times.push(performance.now() - began)
  }
  agent.destroy()
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}
