import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from './sha256.ts'

interface Notes {
  readonly state: string
  /** Whether this process works for a person and not for an agent. */
  isOurs(): Promise<boolean>
}

let notes: Notes | undefined

/** From now on this process records its writes to guarded files, so that the hook does not take them for an agent's. */
export function noteOwnWritesIn(given: Notes): void {
  notes = given
}

/** Records a write, or without content a removal. */
export async function noteOwnWrite(path: string, content: string | Uint8Array | undefined): Promise<void> {
  if (!notes || !(await notes.isOurs())) return
  const folder = notes.state
  try {
    mkdirSync(ownWritesIn(folder), { recursive: true, mode: 0o700 })
    writeFileSync(noteOf(folder, path), content === undefined ? '' : sha256(content), { mode: 0o600 })
  } catch {
    // Without the record the next hook asks about the change.
  }
}

/** Whether pml itself wrote this content. The hash of a removed file is empty. */
export function isOwnWrite(state: string, path: string, hash: string): boolean {
  try {
    return readFileSync(noteOf(state, path), 'utf8') === hash
  } catch {
    return false
  }
}

const ownWritesIn = (state: string) => join(state, 'witness', 'own')
const noteOf = (state: string, path: string) => join(ownWritesIn(state), sha256(path))
