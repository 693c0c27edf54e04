import { PmlError } from '@pml/core/errors'
import type { CliIo } from './cli-io.ts'
import type { Parsed } from './parse-value.ts'

const LIMIT_BYTES = 4 * 1024 * 1024

/** Reads a whole file unchanged, including a byte order mark. Throws `too_large`. */
export async function readText(io: CliIo, path: string): Promise<Parsed<string>> {
  const bytes = await io.read(path, LIMIT_BYTES).catch((error: unknown) => reasonOf(error))
  if (typeof bytes === 'string') return { wrong: `cannot read ${nameOf(path)}: ${bytes}` }
  if (bytes.length > LIMIT_BYTES) throw tooLarge(path)
  try {
    return { value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { wrong: `cannot read ${nameOf(path)}: expected UTF-8 text` }
  }
}

/** Stdin has no file name. */
export function nameOf(path: string): string {
  return path === '-' ? 'stdin' : path
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a directory, expected a file'
  if (code === 'EACCES') return 'it may not be read by this user'
  return message ?? String(error)
}

function tooLarge(path: string): PmlError {
  const message = `Cannot read ${nameOf(path)}: expected at most ${LIMIT_BYTES} bytes`
  return new PmlError('too_large', message, { limit: LIMIT_BYTES })
}
