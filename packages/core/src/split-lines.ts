/** What receives the lines of a stream, without their ends. */
interface LineReceiver {
  readonly limitBytes: number
  onLine(line: Buffer): void
  /** A line over the limit, of which only the two ends were kept. */
  onLongLine(head: Buffer, tail: Buffer): void
  /** A line over the limit goes on, and is this long by now. */
  onGrowth?(lengthBytes: number): void
}

export interface LineSplitter {
  push(bytes: Buffer): void
  /** What stands after the last line end. */
  end(): void
}

const KEPT_BYTES = 256
const LINE_FEED = 10

/** Cuts a stream into lines at the byte, so that no character is ever split, and holds no more than one line within the limit. */
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
