import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { PmlError } from '@pml/core/errors'

/** Claude Code keeps much more than settings in its file. */
const LIMIT_BYTES = 64 * 1024 * 1024

/** A file of an agent, which people keep elsewhere and link to; undefined where there is none. Never waits for a pipe. */
export function findSettingsText(path: string): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const info = fstatSync(file)
      if (!info.isFile()) throw new Error('expected a file')
      if (info.size > LIMIT_BYTES)
        throw new Error(`it has ${info.size} bytes, expected at most ${LIMIT_BYTES}`)
      return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new PmlError('invalid_config', `Cannot read ${path}: ${code ?? message}; mend it, or remove it`)
  }
}
