import type { Bench } from '../bench.ts'
import { startRegistry } from '../registry/start-registry.ts'
import { measureCall } from './measure-call.ts'
import { measureCommands } from './measure-commands.ts'
import { measureFetch } from './measure-fetch.ts'
import { measureLock } from './measure-lock.ts'
import { measureSync } from './measure-sync.ts'

const atRegistry = { 'fetch-warm': measureFetch, 'sync-200': measureSync, 'run-deno': measureCall } as const

/** Measures what pml adds to the minimal work. */
export async function measureClient(bench: Bench): Promise<void> {
  await measureLock(bench)
  await measureCommands(bench)
  const names = (Object.keys(atRegistry) as (keyof typeof atRegistry)[]).filter((name) =>
    bench.wanted.has(name),
  )
  if (names.length === 0) return
  bench.tell('starting a registry for the client')
  const registry = await startRegistry(bench.stops)
  for (const name of names) await atRegistry[name](bench, registry)
}
