export const BOM = '\u{feff}'

export function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

export function withCrLf(text: string): string {
  return withLf(text).replaceAll('\n', '\r\n')
}

/** Counts lines that end with CRLF, and with LF alone. */
export function countLineEnds(text: string): { crLf: number; lf: number } {
  const crLf = text.split('\r\n').length - 1
  return { crLf, lf: text.split('\n').length - 1 - crLf }
}
