import { PmlError } from '@pml/core/errors'
import { readRegular } from '../machine/files/read-plain-file.ts'

/** The file of Claude Code contains much more than settings. */
const LIMIT_BYTES = 64 * 1024 * 1024

/** Reads a file of an agent, following links; undefined if there is none. Never waits for a pipe. */
export function findSettingsText(path: string, limitBytes = LIMIT_BYTES): string | undefined {
  try {
    return readRegular(path, limitBytes)
      .bytes.toString('utf8')
      .replace(/^\uFEFF/, '')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new PmlError('invalid_config', `Cannot read ${path}: ${code ?? message}; fix it, or remove it`)
  }
}
