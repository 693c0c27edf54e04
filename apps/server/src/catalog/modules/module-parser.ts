import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core'
import type { ModuleFacts } from './module-facts.ts'

export interface ModuleParser {
  /** Throws `invalid_code` for a text that takes too long or brings the parser down. */
  parse(source: string): Promise<ModuleFacts>
  close(): void
}

interface Waiting {
  readonly source: string
  readonly done: (facts: ModuleFacts) => void
  readonly fail: (error: PmlError) => void
}

const here = import.meta.url
/** From sources (tests, scripts) the process needs a loader for TypeScript; from the build it does not. */
const [extension, loader] = here.endsWith('.ts')
  ? ['ts', ['--import', 'tsx', '--conditions=pml-source']]
  : ['js', []]
const program = fileURLToPath(new URL(`./parser-process.${extension}`, here))

const TIMEOUT_MS = 5000
const IDLE_MS = 30_000

/** One text at a time in one process, started when first needed and let go when idle. */
export function createModuleParser(): ModuleParser {
  const queue: Waiting[] = []
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let sent = 0

  function next(): void {
    clearTimeout(timer)
    const first = queue[0]
    if (!first) {
      timer = setTimeout(stop, IDLE_MS).unref()
      return
    }
    child ??= start()
    child.send({ id: ++sent, source: first.source })
    timer = setTimeout(() => child?.kill('SIGKILL'), TIMEOUT_MS)
  }

  function start(): ChildProcess {
    const started = fork(program, {
      execArgv: loader,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {},
    })
    started.unref()
    started.once('error', () =>
      lose(started, new PmlError('unavailable', 'Cannot start the parser of modules; try again')),
    )
    started.channel?.unref()
    started.on('message', ({ id, facts }: { id: number; facts: ModuleFacts }) => {
      if (id !== sent) return
      queue.shift()?.done(facts)
      next()
    })
    started.once('exit', () => lose(started, tooHard()))
    return started
  }

  function lose(lost: ChildProcess, error: PmlError): void {
    if (child !== lost) return
    child = undefined
    queue.shift()?.fail(error)
    next()
  }

  function stop(): void {
    const idle = child
    child = undefined
    idle?.kill()
  }

  return {
    parse: (source) =>
      new Promise((done, fail) => {
        queue.push({ source, done, fail })
        if (queue.length === 1) next()
      }),
    close: stop,
  }
}

function tooHard(): PmlError {
  const problem = 'it is nested too deeply or takes too long to parse; make it simpler'
  return new PmlError('invalid_code', `Cannot parse the module: ${problem}`)
}
