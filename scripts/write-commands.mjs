// Writes what the `pml` command knows about the server's tools, so that help and completions need no server.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const commandsFolder = fileURLToPath(new URL('../packages/pml/dist/commands', import.meta.url))

/**
 * `index.json`, the list, and `<tool>.json` for each command. Throws on a tool that is left out and on a category that
 * is a word of `pml` itself: where this passes, every tool is on the command line.
 */
export async function writeCommands({ tools, folder, reservedWords }) {
  const { problems, summary } = tools.validateAll()
  if (problems.length > 0) throw new Error(`Cannot write the commands: ${summary()}`)
  const commands = tools.commands()
  requireFreeWords(commands, reservedWords)
  const fresh = `${folder}.${process.pid}`
  await mkdir(fresh, { recursive: true })
  await writeFile(join(fresh, 'index.json'), JSON.stringify(commands.map(summaryOf)))
  for (const command of commands)
    await writeFile(join(fresh, `${command.name}.json`), JSON.stringify(command))
  await rm(folder, { recursive: true, force: true })
  await rename(fresh, folder)
}

function requireFreeWords(commands, reservedWords) {
  const taken = commands.filter(({ category }) => reservedWords.includes(category))
  if (taken.length === 0) return
  const list = taken.map(({ name, category }) => `${name}: '${category}' is a word of pml itself`)
  throw new Error(`Cannot write the commands: ${list.join('; ')}; choose another category`)
}

function summaryOf({ name, category, command, about }) {
  return { name, category, command, about }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { loadRegistryTools } = await import('../apps/server/dist/registry-tools.js')
  const { reservedWords } = await import('../packages/pml/dist/program.js')
  await writeCommands({ tools: await loadRegistryTools(), folder: commandsFolder, reservedWords })
  // Loading the tools may leave handles of the server open.
  process.exit()
}
