import { openPml } from '@pml-registry/pml'
import { Agent, request } from 'undici'
import type { Bench } from '../bench.ts'
import { moduleText } from '../registry/module-text.ts'
import { publishModule } from '../registry/publish-modules.ts'
import type { Registry } from '../registry/start-registry.ts'
import { timed, type Timed } from './alternate.ts'
import { makeBenchWorkspace } from './bench-workspace.ts'
import { compare } from './compare.ts'

const NAME = 'bench.client.fetching.entry'
const MODULE_BYTES = 2048
const rounds = { warmUps: 1000, rounds: 3000 }

/** Fetching a locked, cached and unchanged entry, compared with the single request that it needs. */
export async function measureFetch(bench: Bench, registry: Registry): Promise<void> {
  const fqdn = await publishModule(registry, NAME, moduleText('entry', MODULE_BYTES))
  const { root, env } = await makeBenchWorkspace(bench.stops, { allow: ['fetching:*'] })
  const pml = await openPml({ workspace: root, env, registry: registry.url })
  bench.stops.add(pml.close)
  const first = await pml.fetch(NAME)
  if (!('integrity' in first)) throw new Error(`Cannot fetch ${NAME}: a person is asked`)
  await compare(bench, 'fetch-warm', {
    ...rounds,
    ours: () =>
      timed(async () => {
        const found = await pml.fetch(NAME)
        if (!('lock' in found) || found.lock !== 'same')
          throw new Error(`Cannot fetch ${NAME} as it is locked`)
      }),
    peer: conditionalGet(bench, `${registry.url}/mcp/${fqdn}`, first.integrity),
    against: 'a bare conditional GET',
  })
}

function conditionalGet({ stops }: Bench, url: string, integrity: string): Timed {
  const dispatcher = new Agent()
  stops.add(() => dispatcher.close())
  const headers = { 'if-none-match': `"${integrity}"` }
  return () =>
    timed(async () => {
      const { statusCode, body } = await request(url, { headers, dispatcher })
      await body.arrayBuffer()
      if (statusCode !== 304) throw new Error(`Cannot compare with ${url}: expected 304, got ${statusCode}`)
    })
}
