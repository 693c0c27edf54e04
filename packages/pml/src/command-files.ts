import { readFile } from 'node:fs/promises'
import type { CommandSource } from '@pml/tools/cli'

/** The commands as the build wrote them: a list, and one file for each, named after the tool. */
export function createCommandFiles(folder: URL): CommandSource {
  const read = async (file: string) => JSON.parse(await readFile(new URL(file, folder), 'utf8'))
  return {
    list: () => read('index.json'),
    load: (name) => read(`${name}.json`),
  }
}
