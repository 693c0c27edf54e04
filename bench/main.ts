// npm run bench [-- name…]: figures on stdout, progress on stderr; exits with 1 if one is short, with 2 for an unknown name.
import { measureApprovals } from './approvals/measure-approvals.ts'
import { measureClient } from './client/measure-client.ts'
import { measureGateway } from './gateway/measure-gateway.ts'
import { measureGrowth } from './growth/measure-growth.ts'
import { measureSearch } from './growth/measure-search.ts'
import { measureHookCommand } from './hooks/measure-hook-command.ts'
import { measureHookHttp } from './hooks/measure-hook-http.ts'
import { parseLineNames, printLine, type LineName } from './lines.ts'
import { measureBigBody } from './load/measure-big-body.ts'
import { startLoad } from './load/start-load.ts'
import { measureReads } from './registry/measure-reads.ts'
import { createStops } from './stops.ts'

const SIGNAL_EXIT = 130

const parsed = parseLineNames(process.argv.slice(2))
if ('problem' in parsed) {
  process.stderr.write(`${parsed.problem}\n`)
  process.exit(2)
}
const stops = createStops()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stops.run().then(() => process.exit(SIGNAL_EXIT)))
}
try {
  process.exitCode = (await run(parsed.wanted)) ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
} finally {
  await stops.run()
}

async function run(wanted: ReadonlySet<LineName>): Promise<boolean> {
  let allOk = true
  const report = (name: LineName, figure: number) => {
    if (!wanted.has(name)) return
    const { text, ok } = printLine(name, figure)
    process.stdout.write(`${text}\n`)
    allOk &&= ok
  }
  const tell = (text: string) => void process.stderr.write(`${text}\n`)
  const bench = { wanted, report, tell, stops, load: startLoad(stops) }
  await measureReads(bench)
  await measureGrowth(bench)
  await measureSearch(bench)
  await measureApprovals(bench)
  await measureBigBody(bench)
  await measureHookHttp(bench)
  await measureHookCommand(bench)
  await measureGateway(bench)
  await measureClient(bench)
  return allOk
}
