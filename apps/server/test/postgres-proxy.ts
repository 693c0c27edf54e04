import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy between the driver and a real Postgres. */
export interface PostgresProxy {
  readonly url: string
  stop(): Promise<void>
}

/** `rollback`: the database gets ROLLBACK instead. `cut`, `reset`: the connection closes or breaks when COMMIT is on its way. */
export type OnCommit = 'rollback' | 'cut' | 'reset'

/** Starts a proxy that intercepts COMMIT. `onCommit` is called for each one; undefined passes it on. */
export function startCommitProxy(url: string, onCommit: () => OnCommit | undefined): Promise<PostgresProxy> {
  return listen(url, (client, dial) => {
    const backend = dial()
    backend.on('data', (chunk) => client.destroyed || client.write(chunk))
    backend.on('close', () => client.destroy())
    client.on('close', () => backend.destroy())
    const read = splitMessages((message) => {
      const action = statementIn(message)?.trim().toLowerCase() === 'commit' ? onCommit() : undefined
      backend.write(action === 'rollback' ? replaceStatement(message, 'commit', 'rollback') : message)
      if (action === 'cut') client.destroy()
      if (action === 'reset') client.resetAndDestroy()
    })
    client.on('data', read)
  })
}

/** `lose`: the database never gets the request. `reset`: the client's connection is also reset. */
export type OnCancel = 'lose' | 'reset'

/** Starts a proxy that intercepts cancel requests. `onCancel` is called for each one; undefined passes it on. */
export function startCancelProxy(url: string, onCancel: () => OnCancel | undefined): Promise<PostgresProxy> {
  return listen(url, (client, dial) => {
    client.once('data', (first) => {
      const action = first.length >= 8 && first.readInt32BE(4) === CANCEL_REQUEST ? onCancel() : undefined
      if (action === 'lose') return client.end()
      if (action === 'reset') return client.resetAndDestroy()
      const backend = dial()
      backend.write(first)
      client.on('data', (chunk) => backend.write(chunk))
      backend.on('data', (chunk) => client.destroyed || client.write(chunk))
      backend.on('close', () => client.destroy())
      client.on('close', () => backend.destroy())
    })
  })
}

/** Starts a proxy that drops notifications, or one startup setting of the client. */
export function startDroppingProxy(
  url: string,
  { notifications = false, setting }: { notifications?: boolean; setting?: string },
): Promise<PostgresProxy> {
  return listen(url, (client, dial) => {
    const backend = dial()
    const isDropped = (message: Buffer) => notifications && message[0] === NOTIFICATION
    backend.on(
      'data',
      splitTyped((message) => void (isDropped(message) || client.write(message))),
    )
    client.on('close', () => backend.destroy())
    let isStartup = true
    client.on(
      'data',
      splitMessages((message) => {
        backend.write(isStartup && setting !== undefined ? withoutSetting(message, setting) : message)
        isStartup = false
      }),
    )
  })
}

interface Backend {
  readonly socket: Socket
  client: Client | undefined
}

interface Client {
  readonly socket: Socket
  backend: Backend | undefined
  /** Requests whose ReadyForQuery has not come yet. */
  pending: number
  /** Messages were sent since the last Sync. */
  unsynced: boolean
}

/**
 * Starts a minimal transaction pooler: a client has a backend for one transaction. `oldest` picks the backend that was
 * idle longest, so each transaction gets another one; `newest` picks like PgBouncer.
 */
export function startTransactionPooler(
  url: string,
  { pick }: { pick: 'oldest' | 'newest' },
): Promise<PostgresProxy> {
  const idle: Backend[] = []

  function fromBackend(backend: Backend, message: Buffer): void {
    const { client } = backend
    // Messages for a disconnected client or outside a transaction, such as notifications, are dropped.
    if (!client) return
    client.socket.write(message)
    if (message[0] !== READY_FOR_QUERY) return
    client.pending--
    if (message[5] !== IDLE || client.pending > 0 || client.unsynced) return
    backend.client = client.backend = undefined
    idle.push(backend)
  }

  function backendFor(client: Client, dial: () => Socket): Backend {
    const free = pick === 'oldest' ? idle.shift() : idle.pop()
    const backend: Backend = free ?? { socket: dial(), client }
    backend.client = client
    if (!free)
      backend.socket.on(
        'data',
        splitTyped((message) => fromBackend(backend, message)),
      )
    return backend
  }

  return listen(url, (socket, dial) => {
    const client: Client = { socket, backend: undefined, pending: 0, unsynced: false }
    let isStartup = true
    const read = splitMessages((message) => {
      // Each client adds a backend to the pool.
      if (isStartup) {
        const backend: Backend = { socket: dial(), client }
        backend.socket.on(
          'data',
          splitTyped((reply) => fromBackend(backend, reply)),
        )
        client.backend = backend
      }
      const isRequest = isStartup || message[0] === QUERY || message[0] === SYNC
      isStartup = false
      if (message[0] === TERMINATE) return
      client.backend ??= backendFor(client, dial)
      if (isRequest) client.pending++
      client.unsynced = !isRequest
      client.backend.socket.write(message)
    })
    socket.on('data', read)
    socket.on('close', () => client.backend?.socket.destroy())
  })
}

const [READY_FOR_QUERY, IDLE, QUERY, PARSE, SYNC, TERMINATE, NOTIFICATION] = [...'ZIQPSXA'].map((letter) =>
  letter.charCodeAt(0),
)
const CANCEL_REQUEST = 80877102

async function listen(
  url: string,
  serve: (client: Socket, dial: () => Socket) => void,
): Promise<PostgresProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const track = (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    return socket
  }
  const server = createServer((client) =>
    serve(track(client), () => track(connect({ host: hostname, port: Number(port) }))),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: own.href,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Splits a client's bytes into messages; the first has a length but no type. */
function splitMessages(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  return split(onMessage, 0)
}

function splitTyped(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  return split(onMessage, 1)
}

function split(onMessage: (message: Buffer) => void, firstOffset: number): (chunk: Buffer) => void {
  let held = Buffer.alloc(0)
  let offset = firstOffset
  return (chunk) => {
    held = Buffer.concat([held, chunk])
    while (held.length >= offset + 4) {
      const size = offset + held.readUInt32BE(offset)
      if (held.length < size) return
      const message = held.subarray(0, size)
      held = held.subarray(size)
      offset = 1
      onMessage(message)
    }
  }
}

/** Returns the SQL of a Query or Parse message. */
function statementIn(message: Buffer): string | undefined {
  if (message[0] === QUERY) return message.toString('utf8', 5, message.length - 1)
  if (message[0] !== PARSE) return undefined
  const start = message.indexOf(0, 5) + 1
  return message.toString('utf8', start, message.indexOf(0, start))
}

function replaceStatement(message: Buffer, from: string, to: string): Buffer {
  const replaced = Buffer.from(message.toString('latin1').replace(from, to), 'latin1')
  replaced.writeUInt32BE(replaced.length - 1, 1)
  return replaced
}

/** Removes a setting from a startup message. */
function withoutSetting(message: Buffer, name: string): Buffer {
  const pair = new RegExp(`\\0${name}\\0[^\\0]*(?=\\0)`)
  const replaced = Buffer.from(message.toString('latin1').replace(pair, ''), 'latin1')
  replaced.writeUInt32BE(replaced.length, 0)
  return replaced
}
