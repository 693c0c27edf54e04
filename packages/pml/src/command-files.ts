import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core/errors'
import type { CommandSource } from '@pml/tools/cli'

/** The commands as the build wrote them: a list, and one file for each, named after the tool. */
export function createCommandFiles(folder: URL): CommandSource {
  return {
    list: () => readCommands(new URL('index.json', folder)),
    load: (name) => readCommands(new URL(`${name}.json`, folder)),
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
