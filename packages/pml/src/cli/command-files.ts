import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core/errors'
import type { CommandSource } from '@pml/tools/cli'

/** The commands as the build wrote them (scripts/write-commands.mjs): a list, and one file for each. */
export interface CommandFiles extends CommandSource {
  /** Reports whether a loaded command runs on this machine, and not at the registry. */
  isOwn(name: string): boolean
  /** The path of a loaded command in `commands/`, such as `lock/show`; undefined if it has no file there. */
  findPlace(name: string): string | undefined
}

type Command = Awaited<ReturnType<CommandSource['load']>> & {
  readonly isOwn?: boolean
  /** The registry runs the command, and this file prints its output. */
  readonly hasPrint?: boolean
}

export function createCommandFiles(folder: URL): CommandFiles {
  const loaded = new Map<string, Command>()
  return {
    list: () => readCommands(new URL('index.json', folder)),
    load: async (name) => {
      const command = await readCommands<Command>(new URL(`${name}.json`, folder))
      loaded.set(name, command)
      return command
    },
    isOwn: (name) => loaded.get(name)?.isOwn === true,
    findPlace: (name) => {
      const command = loaded.get(name)
      return command?.isOwn || command?.hasPrint
        ? `${command.category ?? 'pml'}/${command.command}`
        : undefined
    },
  }
}

async function readCommands<Content>(file: URL): Promise<Content> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    const path = fileURLToPath(file)
    throw new PmlError(
      'invalid_config',
      `Cannot read ${path}: expected a file that the build wrote; build or install pml again`,
    )
  }
}
