import { PmlError } from '@pml/core'
import type { Pin } from '@pml/core/pins'
import type { Npm, NpmFailure } from './run-npm.ts'

const unreachable =
  /^(?:E(?:NOTFOUND|CONN\w+|TIMEDOUT|AI_AGAIN|NETUNREACH|HOSTUNREACH|PROTO|NOTCACHED|SOCKETTIMEOUT|[45]\d\d|TARGET)|ERR_SOCKET_TIMEOUT|FETCH_ERROR|TIMEOUT|.*CERT.*|UNABLE_TO_\w+|DEPTH_ZERO\w+)$/
const disk: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'it can only be read',
  EACCES: 'it may not be written',
  EPERM: 'it may not be written',
  ENOTDIR: 'it is no folder',
  EEXIST: 'it is no folder',
}

/** Why npm could not install a tree, in the words of a person who wants it. */
export function npmError(
  failure: NpmFailure,
  { pin, npm, folder }: { pin: Pin; npm: Npm; folder: string },
): PmlError {
  const { code, reason } = failure
  const cannot = `Cannot install ${pin.package} ${pin.version}`
  if (code === 'CANCELLED') return new PmlError('cancelled', `${cannot}: it was cancelled`)
  if (code === 'EINTEGRITY') return mismatch(reason, { pin, cannot })
  if (code === 'ENOENT' && reason.startsWith('spawn'))
    return new PmlError('install_failed', `${cannot}: there is no npm at ${npm.command}`)
  if (disk[code] !== undefined)
    return new PmlError(
      'install_failed',
      `${cannot}: npm cannot write to ${folder} or its cache, ${disk[code]}`,
    )
  if (unreachable.test(code))
    return new PmlError('unavailable', `${cannot}: npm's registry did not give it, ${code}: ${reason}`)
  return new PmlError('install_failed', `${cannot}: npm failed with ${code}: ${reason}`)
}

/** Anything of the disk; what is known already stays as it is. */
export function fileError(error: unknown, folder: string): Error {
  if (error instanceof PmlError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  return new PmlError('install_failed', `Cannot install into ${folder}: ${disk[code] ?? message}`)
}

/** npm names the two hashes; the lock knows whose the wanted one is. */
function mismatch(reason: string, { pin, cannot }: { pin: Pin; cannot: string }): PmlError {
  const [, expected = '', found = ''] =
    /wanted (sha512-\S+) but got (sha512-\S+?)[.\s]/.exec(`${reason} `) ?? []
  const [location = '', entry] =
    Object.entries(pin.lock.packages).find(([, { integrity }]) => integrity === expected) ?? []
  const name = location.replace(/^.*node_modules\//, '')
  if (entry === undefined) return new PmlError('integrity_mismatch', `${cannot}: ${reason}`)
  return new PmlError(
    'integrity_mismatch',
    `${cannot}: ${name} ${entry.version} is not what was pinned, expected ${expected}, got ${found}`,
    { package: name, version: entry.version, expected, found },
  )
}
