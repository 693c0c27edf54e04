import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core/errors'
import type { CommandSource } from '@pml/tools/cli'

/** The commands as the build wrote them: a list, and one file for each, named after the tool. */
export interface CommandFiles extends CommandSource {
  /** Whether a command that was loaded works on this machine, and not at the registry. */
  isOwn(name: string): boolean
  /** Whether a command that was loaded takes no arguments. */
  isPlain(name: string): boolean
}

export function createCommandFiles(folder: URL): CommandFiles {
  const [own, plain] = [new Set<string>(), new Set<string>()]
  return {
    list: () => readCommands(new URL('index.json', folder)),
    load: async (name) => {
      const command = await readCommands<Awaited<ReturnType<CommandSource['load']>> & { isOwn?: boolean }>(
        new URL(`${name}.json`, folder),
      )
      if (command.isOwn === true) own.add(name)
      if (Object.keys(command.inputSchema.properties ?? {}).length === 0) plain.add(name)
      return command
    },
    isOwn: (name) => own.has(name),
    isPlain: (name) => plain.has(name),
  }
}

async function readCommands<Content>(file: URL): Promise<Content> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    const path = fileURLToPath(file)
    throw new PmlError(
      'invalid_config',
      `Cannot read ${path}: expected what the build writes; build or install pml again`,
    )
  }
}
