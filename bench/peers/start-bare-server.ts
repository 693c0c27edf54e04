import { ask, forkProgram, pidOf, stopProcess } from '../child-process.ts'
import type { RawAnswer } from '../raw-answer.ts'
import type { Running } from '../running.ts'
import type { Stops } from '../stops.ts'

/** A node:http server in its own process that always sends the same response. */
export async function startBareServer(answer: RawAnswer, stops: Stops): Promise<Running> {
  const child = forkProgram(new URL('bare-server.ts', import.meta.url))
  stops.add(() => stopProcess(child))
  return { url: String(await ask(child, answer)), pid: pidOf(child) }
}
