import { access } from 'node:fs/promises'
import { noServerFiles } from './server-errors.ts'

/** Throws where none of them is there. */
export async function requirePlace(places: readonly string[]): Promise<void> {
  const there = await Promise.all(places.map((place) => isThere(place)))
  if (!there.includes(true)) throw noServerFiles(places)
}

function isThere(place: string): Promise<boolean> {
  return access(place).then(
    () => true,
    () => false,
  )
}
