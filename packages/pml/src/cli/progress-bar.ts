import type { Writable } from 'node:stream'

export interface ProgressBar {
  show(done: number, total: number): void
  clear(): void
}

const WIDTH = 30

/** One line that is drawn again and again; nothing where nobody looks. */
export function createProgressBar(output: Writable | undefined): ProgressBar {
  let isShown = false
  return {
    show: (done, total) => {
      const filled = Math.round((WIDTH * done) / Math.max(total, 1))
      output?.write(`\r[${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done}/${total}`)
      isShown = output !== undefined
    },
    clear: () => {
      if (isShown) output?.write(`\r${' '.repeat(WIDTH + 20)}\r`)
      isShown = false
    },
  }
}
