import { request, type Agent } from 'node:http'
import { isDeepStrictEqual } from 'node:util'

/** A response as raw bytes. */
export interface RawAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

interface Asking {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  readonly agent: Agent
}

const byNode = new Set(['date', 'connection', 'keep-alive'])

export function readAnswer(url: string, { headers, body, agent }: Asking): Promise<RawAnswer> {
  return new Promise((done, fail) => {
    const method = body === undefined ? 'GET' : 'POST'
    const asked = request(url, { method, agent, headers: { ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () =>
        done({
          status: response.statusCode ?? 0,
          headers: pairs(response.rawHeaders),
          body: new Uint8Array(Buffer.concat(chunks)),
        }),
      )
    })
    asked.on('error', fail)
    asked.end(body)
  })
}

/** The server's own headers, without those that node:http adds to every response. */
export function withoutNodeHeaders({ status, headers, body }: RawAnswer): RawAnswer {
  return { status, headers: headers.filter(([name]) => !byNode.has(name.toLowerCase())), body }
}

/** Compares byte for byte except for the date. */
export function requireSameAnswer(ours: RawAnswer, peer: RawAnswer): void {
  if (isDeepStrictEqual(withoutTime(ours), withoutTime(peer))) return
  const [one, other] = [ours, peer].map(({ status, headers }) => JSON.stringify([status, ...headers]))
  throw new Error(`Cannot compare: the bare server answers otherwise\nours ${one}\nbare ${other}`)
}

function withoutTime({ status, headers, body }: RawAnswer): RawAnswer {
  return { status, headers: headers.map(([name, value]) => [name, name === 'Date' ? '' : value]), body }
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] satisfies [string, string]] : [],
  )
}
