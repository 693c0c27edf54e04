// npm run conformance: the official suite against a server built on our adapter, and MCP Inspector against the registry itself.
// Only this file reads process.*.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRegistry } from '../../bench/registry/start-registry.ts'
import { createStops } from '../../bench/stops.ts'
import { findNpm } from '../../packages/pml/src/npm/run-npm.ts'
import type { BoundNpm } from '../run-npm.ts'
import { startFixture } from './fixture.ts'
import { judge, type Exception, type Verdict } from './judge.ts'
import { inspect } from './inspect.ts'
import { installSuite, runSuite, type Suite } from './suite.ts'

const REVISIONS = ['2026-07-28', '2025-11-25']
const NPM_TIMEOUT_MS = 300_000

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())

const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
try {
  const node = { path: process.execPath, version: process.versions.node }
  const suite = await installSuite(await bindNpm(), folder, node)
  const verdicts = [...judge(await runAll(suite), await readExceptions()), ...(await runInspector(suite))]
  process.stdout.write(printVerdicts(verdicts))
  process.exitCode = verdicts.some(({ outcome }) => outcome === 'fail') ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function runAll(suite: Suite) {
  const server = await startFixture(process.execPath)
  try {
    const runs = []
    for (const revision of REVISIONS)
      runs.push(...(await runSuite(suite, { url: server.url, revision, output: join(folder, revision) })))
    return runs
  } finally {
    await server.stop()
  }
}

async function runInspector({ nodePath }: Suite): Promise<Verdict[]> {
  const stops = createStops()
  try {
    const { url } = await startRegistry(stops)
    return await inspect({
      npm: await bindNpm(),
      folder: join(folder, 'inspector'),
      nodePath,
      url: `${url}/mcp`,
    })
  } finally {
    await stops.run()
  }
}

async function readExceptions(): Promise<Exception[]> {
  const text = await readFile(new URL('not-applicable.json', import.meta.url), 'utf8')
  return JSON.parse(text) as Exception[]
}

function printVerdicts(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(
    ({ revision, scenario, outcome, why }) =>
      `${revision}  ${outcome.padEnd(14)}  ${scenario}${why === '' ? '' : `  (${why})`}`,
  )
  const count = (wanted: Verdict['outcome']) => verdicts.filter(({ outcome }) => outcome === wanted).length
  const summary = `${count('pass')} passed, ${count('not applicable')} not applicable, ${count('fail')} failed`
  return `${[...lines, summary].join('\n')}\n`
}

async function bindNpm(): Promise<BoundNpm> {
  const kill = (pid: number, signal: NodeJS.Signals | 0) => process.kill(pid, signal)
  return { npm: await findNpm(process), timeoutMs: NPM_TIMEOUT_MS, signal: stopping.signal, kill }
}
