const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up now',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  // The only abort that is not our own: a proxy that answers CONNECT with anything but 200.
  UND_ERR_ABORTED: 'the proxy refused the connection',
  UND_ERR_CONNECT_TIMEOUT: 'the connection takes too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer has another length than it says',
}

/** The system's own code says most and repeats nothing that was sent. */
export function reasonOf(error: unknown): string {
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] }
  if (typeof code === 'string') return reasons[code] ?? code
  const inner = cause ?? errors?.[0]
  return inner === undefined ? 'the connection broke' : reasonOf(inner)
}
