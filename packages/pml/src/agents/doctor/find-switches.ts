import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PmlError } from '@pml/core/errors'
import type { HookedAgent, SwitchFile, SwitchLevels } from '@pml/hooks/agents'
import { fileError } from '../../machine/files/file-error.ts'
import { readAgentFile } from '../read-agent-file.ts'

/** A setting that keeps pml's hooks from running, as a sentence. */
interface SwitchFinding {
  /** Unknown: the settings could not be read. */
  readonly level: 'error' | 'unknown'
  readonly message: string
}

/** Finds settings that keep hooks from running. `url` is the address of an http hook, if any. */
export async function findSwitches(
  { hooks: { switches } }: HookedAgent,
  levels: SwitchLevels & { readonly url: string | undefined },
): Promise<SwitchFinding[]> {
  if (switches === undefined) return []
  const files = await Promise.all(switches.files(levels).map(filesOf))
  return files.flat().flatMap((one) => ('level' in one ? [one] : examine(one, levels.url)))
}

/** Finds hooks that can answer prompts of MCP servers in place of the person, each as a sentence. */
export async function findAnsweringHooks(
  { hooks: { switches } }: HookedAgent,
  levels: SwitchLevels,
): Promise<string[]> {
  const { answering } = switches ?? {}
  if (switches === undefined || answering === undefined) return []
  const files = await Promise.all(switches.files(levels).map(filesOf))
  const found = files
    .flat()
    .flatMap((one) => ('level' in one ? [] : examine({ path: one.path, check: answering }, undefined)))
  // Unreadable settings are reported by `findSwitches`.
  return found.filter(({ level }) => level === 'error').map(({ message }) => message)
}

/** The file itself, or those of a folder. */
async function filesOf(file: SwitchFile): Promise<readonly (SwitchFile | SwitchFinding)[]> {
  if (!file.isFolder) return [file]
  try {
    const names = await listFolder(file.path)
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ path: join(file.path, name), check: file.check }))
  } catch (error) {
    return [unknown(error)]
  }
}

async function listFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw fileError('read', folder, error)
  })
}

function examine({ path, check }: SwitchFile, url: string | undefined): SwitchFinding[] {
  try {
    const value = readAgentFile(path)
    if (value === undefined) return []
    return check({ file: path, value }, url).map((message) => ({ level: 'error', message }))
  } catch (error) {
    return [unknown(error)]
  }
}

function unknown(error: unknown): SwitchFinding {
  if (!(error instanceof PmlError)) throw error
  return { level: 'unknown', message: `It is unknown whether hooks are turned off: ${error.message}` }
}
