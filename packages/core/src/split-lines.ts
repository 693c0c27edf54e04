/** The receiver of a stream's lines, without their ends. */
interface LineReceiver {
  readonly limitBytes: number
  onLine(line: Buffer): void
  /** A line over the limit, cut to its two ends. */
  onLongLine(head: Buffer, tail: Buffer): void
  /** The current length of an unfinished line over the limit. */
  onGrowth?(lengthBytes: number): void
}

export interface LineSplitter {
  push(bytes: Buffer): void
  /** Ends the stream and passes on the text after the last line end. */
  end(): void
}

const KEPT_BYTES = 256
const LINE_FEED = 10

/** Splits a stream into lines by bytes, so that no character is split, and buffers at most one line up to the limit. */
export function splitLines({ limitBytes, onLine, onLongLine, onGrowth }: LineReceiver): LineSplitter {
  let parts: Buffer[] = []
  let length = 0
  let head: Buffer | undefined

  function keep(bytes: Buffer): void {
    parts.push(bytes)
    length += bytes.length
    if (head === undefined && length <= limitBytes) return
    const all = Buffer.concat(parts)
    head ??= Buffer.from(all.subarray(0, KEPT_BYTES))
    parts = [Buffer.from(all.subarray(-KEPT_BYTES))]
    onGrowth?.(length)
  }

  function finish(): void {
    const line = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
    const start = head
    parts = []
    length = 0
    head = undefined
    if (start === undefined) onLine(line)
    else onLongLine(start, line)
  }

  return {
    push(bytes) {
      let rest = bytes
      for (let at = rest.indexOf(LINE_FEED); at !== -1; at = rest.indexOf(LINE_FEED)) {
        keep(rest.subarray(0, at))
        finish()
        rest = rest.subarray(at + 1)
      }
      if (rest.length > 0) keep(rest)
    },
    end() {
      if (length > 0) finish()
    },
  }
}
