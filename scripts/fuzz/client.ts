import type { Answer, SendBytes } from './exchange.ts'
import { checkAnswer } from './properties.ts'
import type { Request } from './requests.ts'
import { Violation } from './violation.ts'
import type { World } from './world.ts'

/** Sends requests, counts them, and checks the common properties of all responses. */
export interface Client {
  readonly world: World
  readonly sent: number
  send(request: Request): Promise<Answer>
  /** Sends several over one connection, split at these positions. */
  pipeline(requests: readonly Request[], cuts: readonly number[]): Promise<Answer[]>
  /** Sends bytes that may not be a request; the server may not respond. */
  sendRaw(bytes: string): Promise<Answer | undefined>
}

/** How long the server may wait for the rest of bytes that may never become a request. */
const RAW_PATIENCE_MS = 250

export function createClient(world: World, sendBytes: SendBytes): Client {
  let sent = 0
  const pipeline = async (requests: readonly Request[], cuts: readonly number[]): Promise<Answer[]> => {
    sent += requests.length
    const bytes = Buffer.concat(requests.map((request) => serialize(world, request)))
    const methods = requests.map(({ method }) => method)
    const answers = await sendBytes(world.url, { chunks: cutAt(bytes, cuts), methods })
    for (const [index, answer] of answers.entries()) {
      const request = requests[index]
      if (request) checkAnswer(world, request, answer)
    }
    return answers
  }
  return {
    world,
    get sent() {
      return sent
    },
    pipeline,
    send: async (request) => {
      const [answer] = await pipeline([request], [])
      if (!answer) throw new Violation('every request is answered', 'the connection was closed')
      return answer
    },
    sendRaw: async (bytes) => {
      sent++
      const [answer] = await sendBytes(world.url, {
        chunks: [Buffer.from(bytes, 'latin1')],
        methods: ['GET'],
        patienceMs: RAW_PATIENCE_MS,
      })
      return answer
    },
  }
}

/** The bytes of a request, with placeholders replaced by keys. */
export function serialize({ url, keys }: Pick<World, 'url' | 'keys'>, request: Request): Buffer {
  const { method, target, headers, body } = request
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const fields = headers.map(([name, value]) => `${name}: ${fillKeys(value, keys)}`)
  if (!names.has('host')) fields.unshift(`Host: ${new URL(url).host}`)
  if (body !== undefined && !names.has('content-length') && !names.has('transfer-encoding'))
    fields.push(`Content-Length: ${body.length}`)
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...fields, '', body ?? ''].join('\r\n'), 'latin1')
}

function fillKeys(value: string, keys: World['keys']): string {
  return value.replaceAll(/<(\w+)>/g, (text, name: string) => keys[name as keyof typeof keys] ?? text)
}

/** Cuts are fractions of the whole: 0.5 is the middle. */
function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => Math.floor(cut * bytes.length)))].toSorted((a, b) => a - b)
  const starts = [0, ...places.filter((place) => place > 0)]
  return starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length))
}

/** A request as a curl command, or as bytes if curl would not send it unchanged. */
export function printRequest({ url }: Pick<World, 'url'>, request: Request): string {
  const { method, target, headers, body } = request
  if (!/^\/[\x21-\x7e]*$/.test(target))
    return printRaw(serialize({ url, keys: named }, request).toString('latin1'))
  const parts = [
    'curl -i --path-as-is --globoff',
    method === 'HEAD' ? '-I' : `-X ${method}`,
    quote(`${url}${target}`),
  ]
  // With `Name;` curl sends a header without a value.
  for (const [name, value] of headers)
    parts.push(`-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`--data-binary ${quote(body)}`)
  return parts.join(' ')
}

export function printRaw(bytes: string): string {
  return `printf %b ${quote(bytes.replaceAll('\\', '\\\\'))} | nc <host> <port>`
}

/** `$'…'` for bytes that a terminal does not show. */
function quote(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text
    .replaceAll(/['\\]/g, String.raw`\$&`)
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `$'${escaped}'`
}

/** Keys are printed by name. */
const named = new Proxy({} as World['keys'], { get: (_, name) => `<${String(name)}>` })
