import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from './sha256.ts'

interface Notes {
  readonly state: string
  /** Whether no agent runs this process. */
  isOurs(): Promise<boolean>
}

let notes: Notes | undefined

/** From now on this process notes what it writes to files that guard agents, so that no hook takes it for an agent's work. */
export function noteOwnWritesIn(given: Notes): void {
  notes = given
}

/** Undefined: the file was removed. */
export async function noteOwnWrite(path: string, content: string | Uint8Array | undefined): Promise<void> {
  if (!notes || !(await notes.isOurs())) return
  const folder = notes.state
  try {
    mkdirSync(ownWritesIn(folder), { recursive: true, mode: 0o700 })
    writeFileSync(noteOf(folder, path), content === undefined ? '' : sha256(content), { mode: 0o600 })
  } catch {
    // Then the next hook asks about the change.
  }
}

/** Whether pml itself made the file what it is; an empty hash is that of no file. */
export function isOwnWrite(state: string, path: string, hash: string): boolean {
  try {
    return readFileSync(noteOf(state, path), 'utf8') === hash
  } catch {
    return false
  }
}

const ownWritesIn = (state: string) => join(state, 'witness', 'own')
const noteOf = (state: string, path: string) => join(ownWritesIn(state), sha256(path))
