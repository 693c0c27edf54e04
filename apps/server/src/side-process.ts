import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core'

/** A separate process for work that could crash or block this one. */
export interface SideProcess<Request, Answer> {
  ask(request: Request): Promise<Answer>
  close(): void
}

interface SideProcessOptions {
  /** The name for error messages. */
  readonly name: string
  /** The program file without its extension. */
  readonly program: URL
  readonly timeoutMs: number
  /** Returns the error for a request that crashes the process or times out. */
  readonly tooHard: () => PmlError
}

interface Waiting<Request, Answer> {
  readonly request: Request
  readonly done: (answer: Answer) => void
  readonly fail: (error: PmlError) => void
}

/** When run from source (tests, scripts), the process needs a TypeScript loader. */
const [extension, loader] = import.meta.url.endsWith('.ts')
  ? ['.ts', ['--import', 'tsx', '--conditions=pml-source']]
  : ['.js', []]

const IDLE_MS = 30_000
/** On a busy machine a process takes seconds to start, which must not count against the request. */
const START_MS = 10_000
const MOST_WAITING = 1000

/** Creates a process that serves one request at a time. It starts on the first request and stops when idle. */
export function createSideProcess<Request, Answer>({
  name,
  program,
  timeoutMs,
  tooHard,
}: SideProcessOptions): SideProcess<Request, Answer> {
  const file = `${fileURLToPath(program)}${extension}`
  const queue: Waiting<Request, Answer>[] = []
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let sent = 0
  let isReady = false

  function next(): void {
    clearTimeout(timer)
    const first = queue[0]
    if (!first) {
      timer = setTimeout(stop, IDLE_MS).unref()
      return
    }
    child ??= start()
    child.send({ id: ++sent, request: first.request })
    limit(isReady ? timeoutMs : START_MS)
  }

  function limit(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => child?.kill('SIGKILL'), ms)
  }

  function start(): ChildProcess {
    isReady = false
    const started = fork(file, {
      execArgv: loader,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {},
    })
    started.unref()
    started.once('error', () =>
      handleExit(started, new PmlError('unavailable', `Cannot start the ${name}; try again`)),
    )
    started.channel?.unref()
    started.on('message', (message: 'ready' | { id: number; answer: Answer }) => {
      if (message === 'ready') {
        isReady = true
        limit(timeoutMs)
      } else if (message.id === sent) {
        queue.shift()?.done(message.answer)
        next()
      }
    })
    started.once('exit', () => handleExit(started, tooHard()))
    return started
  }

  function handleExit(exited: ChildProcess, error: PmlError): void {
    if (child !== exited) return
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
    ask: (request) =>
      new Promise((done, fail) => {
        if (queue.length >= MOST_WAITING)
          return fail(
            new PmlError('unavailable', `Cannot use the ${name}: too many requests wait; try again`),
          )
        queue.push({ request, done, fail })
        if (queue.length === 1) next()
      }),
    close: stop,
  }
}
