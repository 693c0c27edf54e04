// Writes many lines to a log, as one of several processes.
import { openServerLog } from '../src/servers/supervise/server-log.ts'

const [file = '', name = ''] = process.argv.slice(2)
const log = openServerLog({ file, now: () => new Date() })
for (let index = 0; index < 200; index++) {
  log.say(`${name}-${index} ${'x'.repeat(index)} end`)
  if (index % 7 === 0) await log.flush()
}
await log.flush()
