import { PmlError } from '@pml/core'
import { suggest } from '@pml/core/suggest'

/** `name` is the error name of the lifecycle contract. */
export function serverNotFound(name: string, known: Iterable<string>): PmlError {
  const near = suggest(name, known)
  const hint = near === undefined ? '; "pml mcp list" shows all' : `; did you mean '${near}'?`
  return new PmlError('unknown_server', `There is no server '${name.slice(0, 100)}'${hint}`, {
    name: 'ErrToolNotFound',
  })
}

export function serverDisabled(name: string): PmlError {
  return new PmlError(
    'tool_disabled',
    `Cannot use ${name}: a person has disabled it; "pml mcp enable ${name}" allows it again`,
    { name: 'ErrToolDisabled' },
  )
}

export function serverChanged(name: string): PmlError {
  return new PmlError('cancelled', `Cannot use ${name}: its file has just changed; try again`)
}

export function handshakeFailed(name: string, { message }: PmlError): PmlError {
  return new PmlError('handshake_failed', `Cannot test ${name}: ${message}`, { name: 'ErrHandshakeFailed' })
}

export function noServerFiles(places: readonly string[]): PmlError {
  return new PmlError(
    'no_server_files',
    `Cannot find servers: expected files in one of ${places.join(', ')}; none of them exists`,
    { name: 'ErrNoConfigDirs' },
  )
}

export function fileNotFound(path: string): PmlError {
  return new PmlError('not_found', `Cannot validate ${path}: there is no such file or folder`, {
    name: 'ErrFileNotFound',
  })
}

export function closeTimeout(timeoutMs: number): PmlError {
  return new PmlError(
    'close_timeout',
    `Shutdown timed out after ${timeoutMs / 1000} s; calls still running were aborted`,
    { name: 'ErrCloseTimeout' },
  )
}

export function startNotAgreed(name: string): string {
  return `nobody has agreed to start it; "pml mcp test ${name}" shows its command and asks`
}

export function notAgreed(name: string): PmlError {
  return new PmlError('not_granted', `Cannot start ${name}: ${startNotAgreed(name)}`)
}
