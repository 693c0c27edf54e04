import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parsePin, printPin, type Pin } from '@pml/core/pins'

export function pinFile(configDir: string, server: string): string {
  return join(configDir, 'pins', `${server}.json`)
}

/** Reads the last pin, if there is one. Throws for an invalid file instead of starting over. */
export async function readPin(file: string): Promise<Pin | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : parsePin(text, file)
}

/** Atomic: a reader sees the old file or the new one. */
export async function writePin(file: string, pin: Pin): Promise<void> {
  const text = printPin(pin)
  parsePin(text, file)
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}.tmp`
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}
