import { connect, type Socket } from 'node:net'
import { Violation } from './violation.ts'

/** A response as raw bytes; header names are in lower case. */
export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

interface Exchange {
  /** Written one after the other, so that the server reads them separately. */
  readonly chunks: readonly Buffer[]
  /** The methods of the requests in `chunks`: a response to HEAD has no body. */
  readonly methods: readonly string[]
  /** For bytes that may never be a whole request: how long to wait before giving up, without complaint.
   * More answers than requests may come then. */
  readonly patienceMs?: number
}

export type SendBytes = (url: string, exchange: Exchange) => Promise<Answer[]>

/** Far longer than any answer takes, even on a busy machine. */
const TIMEOUT_MS = 30_000

/**
 * Sends bytes over one connection and reads the responses. Returns fewer responses than requests if the server closes the
 * connection early. Uses no HTTP client, which would refuse or repair invalid requests.
 */
export const sendBytes: SendBytes = (url, { chunks, methods, patienceMs }) => {
  const { hostname, port } = new URL(url)
  return new Promise((done, fail) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true })
    const answers: Answer[] = []
    let received: Buffer = Buffer.alloc(0)
    const giveUp = () => finish(patienceMs === undefined && new Violation('answers in time', 'no answer'))
    const timer = setTimeout(giveUp, patienceMs ?? TIMEOUT_MS)

    function finish(error?: unknown): void {
      clearTimeout(timer)
      socket.destroy()
      if (error) fail(error)
      else done(answers)
    }
    function takeAnswers(isClosed: boolean): void {
      try {
        while (answers.length < methods.length) {
          const parsed = parseAnswer(received, methods[answers.length] ?? '', isClosed)
          if (!parsed) break
          received = received.subarray(parsed.length)
          if (parsed.answer.status >= 200) answers.push(parsed.answer)
        }
        if (answers.length === methods.length && received.length > 0 && patienceMs === undefined)
          throw new Violation('answers are well-formed HTTP', `extra bytes: ${received.toString('latin1')}`)
        if (isClosed && received.length > 0)
          throw new Violation('answers are well-formed HTTP', `cut off: ${received.toString('latin1')}`)
      } catch (error) {
        return finish(error)
      }
      if (isClosed || answers.length === methods.length) finish()
    }

    socket.on('data', (data) => {
      received = Buffer.concat([received, data])
      takeAnswers(false)
    })
    socket.on('end', () => takeAnswers(true))
    // A server that refuses a body resets the connection during our write; its earlier response counts.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? takeAnswers(true) : finish(error),
    )
    socket.on('connect', () => writeApart(socket, chunks))
  })
}

function writeApart(socket: Socket, [chunk, ...rest]: readonly Buffer[]): void {
  if (chunk && !socket.destroyed) socket.write(chunk, () => setImmediate(() => writeApart(socket, rest)))
}

function parseAnswer(
  bytes: Buffer,
  method: string,
  isClosed: boolean,
): { answer: Answer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...fields] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d)(?: [\x20-\x7e]*)?$/.exec(statusLine)?.[1])
  if (!status) throw new Violation('answers are well-formed HTTP', `status line ${statusLine}`)
  const headers = parseHeaders(fields)
  const start = end + 4
  const type = headers.get('content-type') ?? ''
  const isEmpty = method === 'HEAD' || status < 200 || status === 204 || status === 304
  if (isEmpty || type.startsWith('text/event-stream'))
    return { answer: { status, headers, body: Buffer.alloc(0) }, length: isEmpty ? start : bytes.length }
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunked = parseChunks(bytes, start)
    return chunked && { answer: { status, headers, body: chunked.body }, length: chunked.end }
  }
  const declared = headers.get('content-length')
  if (declared === undefined && !isClosed) return undefined
  const length = declared === undefined ? bytes.length - start : Number(declared)
  if (!Number.isSafeInteger(length))
    throw new Violation('answers are well-formed HTTP', `Content-Length ${declared}`)
  if (bytes.length < start + length) return undefined
  const body = Buffer.from(bytes.subarray(start, start + length))
  return { answer: { status, headers, body }, length: start + length }
}

function parseHeaders(fields: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const field of fields) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(field) ?? []
    if (name === '') throw new Violation('answers are well-formed HTTP', `header ${JSON.stringify(field)}`)
    const key = name.toLowerCase()
    if (headers.has(key)) throw new Violation('answers are well-formed HTTP', `${name} twice`)
    headers.set(key, value)
  }
  return headers
}

function parseChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const parts: Buffer[] = []
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    if (Number.isNaN(size)) throw new Violation('answers are well-formed HTTP', 'a chunk without a size')
    const next = lineEnd + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end: next }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}
