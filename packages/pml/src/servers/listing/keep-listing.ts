import { rm } from 'node:fs/promises'
import { findLocalServer, normalListing, type Name, type ServerListing } from '@pml/core'
import { fileError } from '../../machine/files/file-error.ts'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import { findFolder, requireFolder } from '../../workspace/workspace-files.ts'
import { listingPath, type ListingFiles } from './find-listing.ts'

/** Writes the listing beside the lockfile. It is meant to be committed, so that reviewers see what is trusted. */
export async function writeListing(
  files: ListingFiles,
  server: string,
  listing: ServerListing,
): Promise<void> {
  await requireFolder(files.servers)
  const text = `${JSON.stringify(normalListing(listing), null, 2)}\n`
  await writeAtomically(listingPath(files, server), text, { mode: 0o644, isGuard: true })
}

/** Removes the listing of a removed entry, if it is a local server. */
export async function removeListing(files: ListingFiles, name: Name): Promise<void> {
  const server = findLocalServer(name)
  if (server === undefined || !(await findFolder(files.servers))) return
  const path = listingPath(files, server)
  await rm(path, { force: true }).catch((error: unknown) => {
    throw fileError('remove', path, error)
  })
}
