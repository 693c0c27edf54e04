const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8 and keeps a byte order mark. */
export function findText(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Decodes one character per byte: different bytes are different texts in any encoding. */
export function byteText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
