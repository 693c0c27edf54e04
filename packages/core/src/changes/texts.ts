const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of UTF-8 bytes, its byte order mark included. */
export function findText(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** One character for one byte: other bytes are another text, whatever they were meant to be. */
export function byteText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
