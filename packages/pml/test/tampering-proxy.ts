import { startPeer, type Peer } from './peer.ts'

/** What the registry said, as it is passed on. */
export interface Passing {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Stands between pml and a real registry: what it passes on is right until a test changes it. */
export interface TamperingProxy extends Peer {
  /** From now on every answer goes through `change`, which rewrites it in place. */
  tamper(change: (answer: Passing, path: string) => void): void
  beHonest(): void
}

/** Of one hop only: node writes its own. */
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

/** One character of a text is another one, of the same kind: the last that is a hex digit or a letter. */
export function oneByteOff(text: string): string {
  const at = text.search(/[0-9a-zA-Z][^0-9a-zA-Z]*$/)
  const other = text[at] === 'a' ? 'b' : text[at] === '0' ? '1' : /\d/.test(text[at] ?? '') ? '0' : 'a'
  return text.slice(0, at) + other + text.slice(at + 1)
}
