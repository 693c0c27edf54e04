import { startPeer, type Peer } from './peer.ts'

/** A response of the registry, before it is forwarded. */
export interface Passing {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** A proxy between pml and a real registry; it forwards unchanged until a test changes it. */
export interface TamperingProxy extends Peer {
  /** Passes every response to `change`, which rewrites it in place. */
  tamper(change: (answer: Passing, path: string) => void): void
  beHonest(): void
}

/** Hop-by-hop headers, which node writes itself. */
const ownHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'date', 'content-length']

export async function startTamperingProxy(registryUrl: string): Promise<TamperingProxy> {
  let change: (answer: Passing, path: string) => void = () => undefined
  const peer = await startPeer((response, { method = 'GET', path = '', headers, body }) => {
    const passOn = async () => {
      const { host: _host, connection: _connection, ...asked } = headers
      const answer = await fetch(`${registryUrl}${path}`, {
        method,
        headers: asked as Record<string, string>,
        redirect: 'manual',
        ...(method === 'PUT' || method === 'POST' ? { body } : {}),
      })
      const said = [...answer.headers].filter(([name]) => !ownHeaders.includes(name))
      const passing: Passing = {
        status: answer.status,
        headers: Object.fromEntries(said),
        body: Buffer.from(await answer.arrayBuffer()),
      }
      change(passing, path)
      response.writeHead(passing.status, passing.headers).end(passing.body)
    }
    passOn().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  return {
    ...peer,
    tamper: (wanted) => void (change = wanted),
    beHonest: () => void (change = () => undefined),
  }
}

/** Changes one character to another of the same kind: the last hex digit or letter. */
export function oneByteOff(text: string): string {
  const at = text.search(/[0-9a-zA-Z][^0-9a-zA-Z]*$/)
  const other = text[at] === 'a' ? 'b' : text[at] === '0' ? '1' : /\d/.test(text[at] ?? '') ? '0' : 'a'
  return text.slice(0, at) + other + text.slice(at + 1)
}
