import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ToolProblemError, type ToolProblem } from './tool-problem.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { ToolDefinition } from './tool.ts'

/**
 * Registers every tool in a folder: each file's default export, described by the markdown file of the same name. Adding a file
 * adds a tool. Tools that cannot be loaded, are invalid or conflict are left out; `validateAll` reports them.
 */
export async function loadTools<Context>(tools: ToolRegistry<Context>, folder: string): Promise<void> {
  const files = await readdir(folder)
  for (const file of files.filter(isToolFile).sort()) {
    try {
      tools.register(await readTool<Context>(join(folder, file)))
    } catch (error) {
      if (!(error instanceof ToolProblemError)) tools.report(loadFailure(file, error))
    }
  }
}

function isToolFile(file: string): boolean {
  return /^[a-z0-9][a-z0-9-]*\.[jt]s$/.test(file)
}

async function readTool<Context>(path: string): Promise<ToolDefinition<Context>> {
  const module = (await import(pathToFileURL(path).href)) as { default?: ToolDefinition<Context> }
  if (typeof module.default?.run !== 'function') throw new Error('it has no "export default defineTool({…})"')
  const beside = join(dirname(path), `${basename(path, extname(path))}.md`)
  const description = module.default.description ?? (await findText(beside))
  return description === undefined ? module.default : { ...module.default, description }
}

/** Accepts any line ends. */
async function findText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).replaceAll('\r\n', '\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function loadFailure(file: string, error: unknown): ToolProblem {
  const message = error instanceof Error ? error.message : String(error)
  const suggestion = 'mend the file, or move what is no tool elsewhere'
  return { kind: 'LoadFailure', tool: file, place: 'file', message, suggestion }
}
