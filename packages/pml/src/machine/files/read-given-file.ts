import { PmlError } from '@pml/core'
import { fileError } from './file-error.ts'
import { readRegular } from './read-regular.ts'

/** A file that is named on the command line; throws where it is missing, no regular file or too large. */
export function readGivenFile(doing: string, file: string, limitBytes: number): Buffer {
  try {
    return readRegular(file, limitBytes).bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new PmlError('invalid_arguments', `Cannot ${doing} ${file}: there is no such file`)
    throw fileError(doing, file, error)
  }
}
