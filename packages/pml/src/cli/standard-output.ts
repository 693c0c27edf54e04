import { fstatSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'

const FD = 1
const PAUSE_MS = 5

/** Where results go. */
export interface StandardOutput {
  write(text: string): void
  /** Columns of a terminal; undefined where nobody looks. */
  readonly width: number | undefined
  readonly isTerminal: boolean
}

/**
 * A terminal is Node's to write to. Into a pipe or a file it is written at once: the streams that Node would load for it take
 * as long as most commands. `onClosed` hears that nobody reads any more.
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

/** The other device that programs are given to write to is the one that keeps nothing. */
function mayBeTerminal(): boolean {
  try {
    const info = fstatSync(FD)
    return info.isCharacterDevice() && info.rdev !== statSync(devNull).rdev
  } catch {
    return false
  }
}

/** A pipe that is full and does not wait says so; its reader gets a moment. */
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
