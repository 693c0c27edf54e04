import type { Command, RegistryCommand } from './command.ts'

/**
 * Loads the file of a command by its place, such as `lock/show`. The bundle has a list of all commands instead of this
 * module: see scripts/bundle-pml.mjs.
 */
export async function loadCommand(place: string): Promise<Command | RegistryCommand> {
  const [noun, verb] = place.split('/')
  const module = (await import(`./${noun}/${verb}.ts`)) as { default: Command | RegistryCommand }
  return module.default
}
