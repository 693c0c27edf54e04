import type { PinResult } from './result.ts'

export interface Progress {
  step(server: string, step: string): void
  done(result: PinResult): void
}

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** On a terminal one line per running server, redrawn in place; elsewhere a line per step. */
export function showProgress(output: Output): Progress {
  return output.isTTY ? liveLines(output) : plainLines(output)
}

function plainLines(output: Output): Progress {
  return {
    step: (server, step) => output.write(`${server}: ${step}\n`),
    done: (result) => output.write(`${result.server}: ${result.outcome}\n`),
  }
}

function liveLines(output: Output): Progress {
  const working = new Map<string, string>()
  const draw = (above: string, change: () => void) => {
    const up = working.size === 0 ? '' : `\u{1b}[${working.size}A`
    change()
    const lines = [...working].map(([server, step]) => `${server}: ${step}\n`)
    output.write(`${up}\r\u{1b}[J${above}${lines.join('')}`)
  }
  return {
    step: (server, step) => draw('', () => working.set(server, step)),
    done: (result) => draw(`${result.server}: ${result.outcome}\n`, () => working.delete(result.server)),
  }
}
