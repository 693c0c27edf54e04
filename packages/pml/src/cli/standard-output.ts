import { fstatSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'

const FD = 1
const PAUSE_MS = 5

/** The destination of a command's result. */
interface StandardOutput {
  write(text: string): void
  /** The columns of the terminal; undefined without one. */
  readonly width: number | undefined
  readonly isTerminal: boolean
}

/**
 * Writes to a terminal through Node's stream, and to a pipe or a file directly, because loading Node's streams takes as long as
 * most commands. `onClosed` is called when the reader is gone.
 */
export function openStandardOutput(
  terminal: () => NodeJS.WriteStream & { readonly fd: 1 },
  onClosed: (code: string | undefined) => void,
): StandardOutput {
  if (mayBeTerminal()) return streamOutput(terminal(), onClosed)
  const write = (text: string) => {
    try {
      writeWhole(Buffer.from(text))
    } catch (error) {
      onClosed((error as NodeJS.ErrnoException).code)
    }
  }
  return { write, width: undefined, isTerminal: false }
}

function streamOutput(
  stream: NodeJS.WriteStream,
  onClosed: (code: string | undefined) => void,
): StandardOutput {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => onClosed(code))
  const isTerminal = stream.isTTY
  return {
    write: (text) => void stream.write(text),
    width: isTerminal ? stream.columns : undefined,
    isTerminal,
  }
}

/** Whether the output is a character device other than `/dev/null`. */
function mayBeTerminal(): boolean {
  try {
    const info = fstatSync(FD)
    return info.isCharacterDevice() && info.rdev !== statSync(devNull).rdev
  } catch {
    return false
  }
}

/** A full non-blocking pipe fails with EAGAIN; the write is retried a moment later. */
function writeWhole(bytes: Uint8Array): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let rest = bytes; rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(FD, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, PAUSE_MS)
    }
  }
}
