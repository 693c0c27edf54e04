import { areInConflict } from './command-path.ts'
import { readyTool, type Command, type ListedTool, type Tool } from './ready-tool.ts'
import { reportOf, ToolProblemError, type ToolProblem, type ToolReport } from './tool-problem.ts'
import type { ToolDefinition } from './tool.ts'
import { validateTool } from './validate-tool.ts'

/**
 * All tools of a program. A tool is visible, on every surface, if it is valid and enabled. Lists are sorted by name in
 * code-unit order, so that the same tools always give the same bytes.
 */
export class ToolRegistry<Context> {
  readonly #tools = new Map<string, Tool<Context>>()
  /** Former names and their current names. */
  readonly #renamed = new Map<string, string>()
  readonly #problems: ToolProblem[] = []
  readonly #disabled = new Set<string>()

  /** Leaves out and reports an invalid tool. A duplicate name or command is an error. */
  register(definition: ToolDefinition<Context>): void {
    const { name, formerNames = [] } = definition
    if ([name, ...formerNames].some((one) => this.#tools.has(one) || this.#renamed.has(one)))
      throw this.#conflict(name, 'name', name)
    const problems = validateTool(definition)
    this.#problems.push(...problems)
    if (problems.length > 0) return
    const tool = readyTool(definition)
    const other = tool.command && this.#findRival(tool.command)
    if (other) throw this.#conflict(name, 'cli', other.name)
    this.#tools.set(name, tool)
    for (const former of formerNames) this.#renamed.set(former, name)
  }

  /** Registers all tools, or none if one of them conflicts. */
  registerCategory(category: string, definitions: readonly ToolDefinition<Context>[]): void {
    const before = new Set(this.#tools.keys())
    try {
      for (const { name, cli, ...rest } of definitions)
        this.register({ ...rest, name, cli: { category, ...cli } } as ToolDefinition<Context>)
    } catch (error) {
      for (const name of this.#tools.keys()) if (!before.has(name)) this.#tools.delete(name)
      for (const [former, name] of this.#renamed) if (!this.#tools.has(name)) this.#renamed.delete(former)
      throw error
    }
  }

  /** Finds a tool by its current or a former name. */
  find(asked: string): Tool<Context> | undefined {
    const name = this.#renamed.get(asked) ?? asked
    return this.#disabled.has(name) ? undefined : this.#tools.get(name)
  }

  /** A one-word command has no category. */
  findCommand(category: string | undefined, command: string): Tool<Context> | undefined {
    return this.#visible().find(
      (tool) => tool.command?.category === category && tool.command?.command === command,
    )
  }

  names(): string[] {
    return this.#visible().map(({ name }) => name)
  }

  list(): ListedTool[] {
    return this.#visible().map(({ listed }) => listed)
  }

  commands(): Command[] {
    return this.#visible().flatMap(({ command }) => command ?? [])
  }

  categories(): string[] {
    return [...new Set(this.commands().flatMap(({ category }) => category ?? []))].sort()
  }

  inCategory(category: string): Tool<Context>[] {
    return this.#visible().filter(({ command }) => command?.category === category)
  }

  /** Takes effect immediately on every surface. */
  disable(name: string): void {
    this.#require(name)
    this.#disabled.add(name)
  }

  enable(name: string): void {
    this.#require(name)
    this.#disabled.delete(name)
  }

  /** Records a tool that could not be registered. */
  report(problem: ToolProblem): void {
    this.#problems.push(problem)
  }

  validateAll(): ToolReport {
    return reportOf([...this.#tools.keys()].sort(), this.#problems)
  }

  #visible(): Tool<Context>[] {
    return [...this.#tools.values()]
      .filter(({ name }) => !this.#disabled.has(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Includes disabled tools: their commands are still taken. */
  #findRival(command: Command): Tool<Context> | undefined {
    return [...this.#tools.values()].find((tool) => tool.command && areInConflict(tool.command, command))
  }

  #conflict(tool: string, place: string, other: string): ToolProblemError {
    const message = place === 'name' ? 'another tool has this name' : `'${other}' has the same command words`
    const suggestion = 'rename one of the two'
    const error = new ToolProblemError({ kind: 'NameConflict', tool, place, message, suggestion })
    this.#problems.push(error.problem)
    return error
  }

  #require(name: string): void {
    if (!this.#tools.has(name)) throw new Error(`There is no tool '${name}' to enable or disable`)
  }
}
