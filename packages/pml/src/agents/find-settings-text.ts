import { PmlError } from '@pml/core/errors'
import { readRegular } from '../machine/files/read-plain-file.ts'

/** Claude Code keeps much more than settings in its file. */
const LIMIT_BYTES = 64 * 1024 * 1024

/** A file of an agent, which people keep elsewhere and link to; undefined where there is none. Never waits for a pipe. */
export function findSettingsText(path: string, limitBytes = LIMIT_BYTES): string | undefined {
  try {
    return readRegular(path, limitBytes)
      .bytes.toString('utf8')
      .replace(/^\uFEFF/, '')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new PmlError('invalid_config', `Cannot read ${path}: ${code ?? message}; mend it, or remove it`)
  }
}
