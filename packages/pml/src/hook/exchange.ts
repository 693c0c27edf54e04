import type { Socket } from 'node:net'

export interface Question {
  readonly url: URL
  readonly apiKey: string
  /** JSON. */
  readonly text: string
  readonly timeoutMs: number
}

export interface Answer {
  readonly status: number
  readonly text: string
}

const LIMIT_BYTES = 1024 * 1024
const END_OF_HEAD = '\r\n\r\n'

/**
 * One question over a connection of its own, in HTTP/1.0: the answer then comes as it is and ends with the connection.
 * That is little enough to be read here; Node's own client takes twice as long to load and to start as the rest takes.
 */
export async function exchange(question: Question): Promise<Answer> {
  const bytes = await converse(question)
  const end = bytes.indexOf(END_OF_HEAD)
  const head = bytes.toString('latin1', 0, Math.max(end, 0))
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head)?.[1]
  if (status === undefined || /^transfer-encoding:/im.test(head))
    throw new Error('it does not speak HTTP/1.0')
  const body = bytes.subarray(end + END_OF_HEAD.length)
  const length = /^content-length:[ \t]*(\d{1,10})[ \t]*\r?$/im.exec(`${head}\r`)?.[1]
  if (length !== undefined && Number(length) !== body.length) throw new Error('its answer broke off')
  return { status: Number(status), text: body.toString('utf8') }
}

/** The time is for all of it: an answer that comes drop by drop is none. */
async function converse(question: Question): Promise<Buffer> {
  const { timeoutMs } = question
  const socket = await connect(question)
  return new Promise((done, fail) => {
    const parts: Buffer[] = []
    let size = 0
    const timer = setTimeout(
      () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    )
    socket.on('data', (part: Buffer) => {
      size += part.length
      if (size > LIMIT_BYTES) socket.destroy(new Error('its answer has no end'))
      else parts.push(part)
    })
    socket.on('end', () => done(Buffer.concat(parts)))
    socket.on('error', fail)
    socket.on('close', () => {
      clearTimeout(timer)
      fail(new Error('its answer broke off'))
    })
    socket.write(printQuestion(question))
  })
}

async function connect({ url: { protocol, hostname, port } }: Question): Promise<Socket> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol !== 'https:') return (await import('node:net')).connect({ host, port: Number(port || 80) })
  const [{ connect: connectSafely }, { isIP }] = await Promise.all([import('node:tls'), import('node:net')])
  return connectSafely({ host, port: Number(port || 443), ...(isIP(host) === 0 && { servername: host }) })
}

function printQuestion({ url, apiKey, text }: Question): Buffer {
  const body = Buffer.from(text)
  const head = [
    `POST ${url.pathname} HTTP/1.0`,
    `Host: ${url.host}`,
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    'Accept: application/json',
    `Content-Length: ${body.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}${END_OF_HEAD}`), body])
}
