/** Reads at most `limitBytes` + 1 bytes of a stream, then closes it. */
export async function readBounded(
  stream: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    length += chunk.length
    if (length > limitBytes) break
  }
  return Buffer.concat(chunks, Math.min(length, limitBytes + 1))
}
