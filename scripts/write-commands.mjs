// Writes what the `pml` command knows about the server's tools, so that help and completions need no server.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const commandsFolder = fileURLToPath(new URL('../packages/pml/dist/commands', import.meta.url))

/**
 * `index.json`, the list, and `<tool>.json` for each command. Throws where a tool takes a word or a flag that is `pml`'s
 * own: where this passes, every valid tool is on the command line.
 */
export async function writeCommands({ tools, folder, reservedWords, flags }) {
  const commands = tools.commands()
  requireFreeWords(commands, reservedWords)
  await requireFreeFlags(commands, flags)
  const fresh = `${folder}.${process.pid}`
  await mkdir(fresh, { recursive: true })
  await writeFile(join(fresh, 'index.json'), JSON.stringify(commands.map(summaryOf)))
  for (const command of commands)
    await writeFile(join(fresh, `${command.name}.json`), JSON.stringify(command))
  await rm(folder, { recursive: true, force: true })
  await rename(fresh, folder)
}

function requireFreeWords(commands, reservedWords) {
  const taken = commands
    .map(({ name, category, command }) => ({ name, word: category ?? command }))
    .filter(({ word }) => reservedWords.includes(word))
    .map(({ name, word }) => `${name}: '${word}' is a word of pml itself`)
  if (taken.length > 0) throw new Error(`Cannot write the commands: ${taken.join('; ')}; choose another word`)
}

async function requireFreeFlags(commands, flags) {
  const { formsOf, parametersOf } = await import('../packages/tools/dist/parameters.js')
  const taken = commands.flatMap(({ name, inputSchema }) =>
    parametersOf(inputSchema)
      .flatMap(formsOf)
      .filter(([spelling]) => flags.includes(spelling.replace(/^no-/, '')))
      .map(([spelling]) => `${name}: --${spelling} is a flag of pml itself`),
  )
  if (taken.length > 0) throw new Error(`Cannot write the commands: ${taken.join('; ')}; choose another name`)
}

function summaryOf({ name, category, command, about }) {
  return { name, category, command, about }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { loadRegistryTools } = await import('../apps/server/dist/registry-tools.js')
  const { createProgram, reservedWords } = await import('../packages/pml/dist/program.js')
  const tools = await loadRegistryTools()
  const { problems, summary } = tools.validateAll()
  if (problems.length > 0) process.stderr.write(`${summary()}\n`)
  const flags = createProgram('', []).flags.map(({ flag }) => flag)
  await writeCommands({ tools, folder: commandsFolder, reservedWords, flags })
  // Loading the tools may leave handles of the server open.
  process.exit()
}
