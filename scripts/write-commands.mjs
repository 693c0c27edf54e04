// Writes what the `pml` command knows about the server's tools, so that help and completions need no server.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const commandsFolder = fileURLToPath(new URL('../packages/pml/bundle/commands', import.meta.url))

/**
 * Writes `index.json`, the list, and `<tool>.json` for each command. `own` are the commands that run on this machine, and
 * `prints` the places of those that only print what the registry answers. Throws if a tool takes a word or a flag that is
 * `pml`'s own: if this passes, every valid tool is on the command line.
 */
export async function writeCommands({ tools, own, prints = [], folder, reservedWords, flags }) {
  const ownCommands = own?.commands().map((command) => ({ ...command, isOwn: true })) ?? []
  const commands = tools.commands().map((command) => {
    const hasPrint = prints.includes(placeOf(command))
    return { ...command, ...(hasPrint && { hasPrint }) }
  })
  const all = [...ownCommands, ...commands]
  requirePrinted(commands, prints)
  requireFreeWords(all, reservedWords)
  await requireApart(commands, ownCommands)
  await requireFreeFlags(all, flags)
  const fresh = `${folder}.${process.pid}`
  await mkdir(fresh, { recursive: true })
  await writeFile(
    join(fresh, 'index.json'),
    JSON.stringify([...all.map(summaryOf), ...(await formerOf(all))]),
  )
  for (const command of all) await writeFile(join(fresh, `${command.name}.json`), JSON.stringify(command))
  await rm(folder, { recursive: true, force: true })
  await rename(fresh, folder)
}

/** Where the file of a command is in `packages/pml/src/commands`. */
function placeOf({ category = 'pml', command }) {
  return `${category}/${command}`
}

function requirePrinted(commands, prints) {
  const lost = prints.filter((place) => !commands.some((command) => placeOf(command) === place))
  if (lost.length > 0)
    throw new Error(
      `Cannot write the commands: the registry has none at ${lost.join(', ')}; export a command with "run"`,
    )
}

/** What stands first on the command line. */
function wordOf({ category, command }) {
  return category ?? command
}

function requireFreeWords(commands, reservedWords) {
  const taken = commands
    .map((command) => ({ name: command.name, word: wordOf(command) }))
    .filter(({ word }) => reservedWords.includes(word))
    .map(({ name, word }) => `${name}: '${word}' is a word of pml itself`)
  if (taken.length > 0) throw new Error(`Cannot write the commands: ${taken.join('; ')}; choose another word`)
}

/** The two may share a category, and no more. */
async function requireApart(commands, ownCommands) {
  const { areInConflict, typedWords } = await import('../packages/tools/dist/command-path.js')
  const taken = commands.flatMap((command) =>
    ownCommands
      .filter((own) => own.name === command.name || areInConflict(own, command))
      .map((own) => `${command.name}: '${typedWords(own).join(' ')}' is a command of pml itself`),
  )
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

/** Former words of commands, as far as no other command has them now. They lead to the command of today. */
async function formerOf(commands) {
  const { areInConflict, typedWords } = await import('../packages/tools/dist/command-path.js')
  return commands.flatMap((command) =>
    (command.formerPaths ?? [])
      .filter((path) => !commands.some((other) => areInConflict(other, path)))
      .map((path) => ({ ...summaryOf(command), ...path, movedTo: typedWords(command).join(' ') })),
  )
}

function summaryOf({ name, category, command, about, isOwn }) {
  return { name, category, command, about, isOwn }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { loadRegistryTools } = await import('../apps/server/dist/registry-tools.js')
  const { createProgram, reservedWords } = await import('../packages/pml/dist/cli/program.js')
  const { readCommands } = await import('../packages/pml/dist/commands/read-commands.js')
  const { placesIn } = await import('./bundle-pml.mjs')
  const source = fileURLToPath(new URL('../packages/pml/src/commands', import.meta.url))
  const tools = await loadRegistryTools()
  const { tools: own, prints } = await readCommands(await placesIn(source))
  for (const { problems, summary } of [tools.validateAll(), own.validateAll()])
    if (problems.length > 0) process.stderr.write(`${summary()}\n`)
  if (own.validateAll().problems.length > 0) process.exit(1)
  const flags = createProgram('', []).flags.map(({ flag }) => flag)
  await writeCommands({ tools, own, prints, folder: commandsFolder, reservedWords, flags })
  // Loading the tools may leave handles of the server open.
  process.exit()
}
