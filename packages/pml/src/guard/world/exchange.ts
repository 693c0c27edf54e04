import type { Socket } from 'node:net'

interface Question {
  readonly url: URL
  readonly apiKey: string
  /** JSON. */
  readonly text: string
  readonly timeoutMs: number
  /** The proxy to an https address; undefined asks directly. */
  readonly proxy: URL | undefined
}

interface Answer {
  readonly status: number
  readonly text: string
}

const LIMIT_BYTES = 1024 * 1024
const END_OF_HEAD = '\r\n\r\n'

/**
 * Sends one request over a connection of its own. Hand-written because Node's HTTP client takes longer to load than the
 * decision takes. `Connection: close` makes the server end the connection after the response, so all that comes is read.
 */
export async function exchange(question: Question): Promise<Answer> {
  return parseAnswer(await converse(question))
}

function parseAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf(END_OF_HEAD)
  const head = bytes.toString('latin1', 0, Math.max(end, 0))
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head)?.[1])
  if (Number.isNaN(status)) throw new Error('it does not speak HTTP/1.1')
  const rest = bytes.subarray(end + END_OF_HEAD.length)
  // Interim responses such as 103 Early Hints come before the final one.
  if (status < 200) return parseAnswer(rest)
  return { status, text: bodyOf(head, rest).toString('utf8') }
}

function bodyOf(head: string, rest: Buffer): Buffer {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*\\r?$`, 'im').exec(head)?.[1]
  const coding = field('transfer-encoding') ?? ''
  if (!/^(?:chunked)?$/i.test(coding) || !/^identity$/i.test(field('content-encoding') ?? 'identity'))
    throw new Error('its answer has an encoding that was not requested')
  if (coding !== '') return joinChunks(rest)
  const length = field('content-length')
  if (length !== undefined && length !== String(rest.length)) throw new Error('its answer broke off')
  return rest
}

/** RFC 9112, section 7.1. Trailers are of no interest. */
function joinChunks(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(
      body.toString('latin1', at, Math.max(lineEnd, at)),
    )?.[1]
    if (size === undefined) throw new Error('its answer broke off')
    const start = lineEnd + 2
    const end = start + Number.parseInt(size, 16)
    if (end === start) return Buffer.concat(parts)
    if (body.toString('latin1', end, end + 2) !== '\r\n') throw new Error('its answer broke off')
    parts.push(body.subarray(start, end))
    at = end + 2
  }
}

/** The time limit covers the whole exchange, however slowly the response arrives. */
async function converse(question: Question): Promise<Buffer> {
  const { timeoutMs } = question
  const opened: Socket[] = []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
  })
  try {
    return await Promise.race([ask(question, opened), late])
  } catch (error) {
    for (const socket of opened) socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function ask(question: Question, opened: Socket[]): Promise<Buffer> {
  const socket = await connect(question, opened)
  opened.push(socket)
  const answer = readUntil(socket, 'end')
  socket.write(printQuestion(question))
  return answer
}

/** Reads until the peer closes the connection or has sent these bytes. */
function readUntil(socket: Socket, last: 'end' | { readonly bytes: string }): Promise<Buffer> {
  return new Promise((done, fail) => {
    const parts: Buffer[] = []
    let size = 0
    const onData = (part: Buffer) => {
      size += part.length
      parts.push(part)
      if (size > LIMIT_BYTES) return fail(new Error('its answer is too long'))
      if (last === 'end' || !Buffer.concat(parts).includes(last.bytes)) return
      socket.off('data', onData).pause()
      done(Buffer.concat(parts))
    }
    socket.on('data', onData)
    socket.on('end', () => (last === 'end' ? done(Buffer.concat(parts)) : fail(new Error('it hung up'))))
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('its answer broke off')))
  })
}

async function connect({ url, proxy }: Question, opened: Socket[]): Promise<Socket> {
  if (url.protocol !== 'https:') return connectPlainly(url)
  return connectSafely(url, proxy && (await openTunnel(proxy, { url, opened })))
}

async function connectPlainly(url: URL): Promise<Socket> {
  return (await import('node:net')).connect({ host: hostOf(url), port: portOf(url) })
}

async function connectSafely(url: URL, socket?: Socket): Promise<Socket> {
  const [{ connect: connectTls }, { isIP }] = await Promise.all([import('node:tls'), import('node:net')])
  const host = hostOf(url)
  const name = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ host, port: portOf(url), ...name, ...(socket && { socket }) })
}

/** Opens a tunnel: the proxy sees the target of the connection but not its content. */
async function openTunnel(
  proxy: URL,
  { url, opened }: { readonly url: URL; readonly opened: Socket[] },
): Promise<Socket> {
  const socket = await (proxy.protocol === 'https:' ? connectSafely(proxy) : connectPlainly(proxy))
  opened.push(socket)
  const target = `${url.hostname}:${portOf(url)}`
  const user = [proxy.username, proxy.password].map(decodeURIComponent).join(':')
  const head = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    ...(user === ':' ? [] : [`Proxy-Authorization: Basic ${Buffer.from(user).toString('base64')}`]),
  ]
  const answer = readUntil(socket, { bytes: END_OF_HEAD }).catch((error: Error) => {
    throw new Error(`the proxy cannot be asked: ${error.message}`)
  })
  socket.write(`${head.join('\r\n')}${END_OF_HEAD}`)
  const status = /^HTTP\/1\.[01] (\d{3})/.exec((await answer).toString('latin1'))?.[1] ?? 'without HTTP'
  if (!status.startsWith('2')) throw new Error(`the proxy answered ${status}`)
  return socket
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

function printQuestion({ url, apiKey, text }: Question): Buffer {
  const body = Buffer.from(text)
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    'Connection: close',
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    'Accept: application/json',
    'Accept-Encoding: identity',
    `Content-Length: ${body.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}${END_OF_HEAD}`), body])
}
