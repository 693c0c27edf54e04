import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ToolProblemError } from './tool-problem.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { ToolDefinition } from './tool.ts'

/**
 * Registers every tool of a folder and the folders in it: each file's default export, described by the markdown file of
 * the same name beside it. Adding a file adds a tool. A conflict leaves the later file out; `validateAll` tells.
 */
export async function loadTools<Context>(tools: ToolRegistry<Context>, folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true })
  for (const file of files.filter(isToolFile).sort()) {
    const definition = await readTool<Context>(join(folder, file))
    try {
      tools.register(definition)
    } catch (error) {
      if (!(error instanceof ToolProblemError)) throw error
    }
  }
}

function isToolFile(file: string): boolean {
  return /^[a-z0-9][a-z0-9-]*\.[jt]s$/.test(basename(file))
}

async function readTool<Context>(path: string): Promise<ToolDefinition<Context>> {
  const module = (await import(pathToFileURL(path).href)) as { default?: ToolDefinition<Context> }
  if (typeof module.default?.run !== 'function')
    throw new Error(`Cannot load ${path}: expected "export default defineTool({…})"`)
  const description =
    module.default.description ?? (await findText(join(dirname(path), `${basename(path, extname(path))}.md`)))
  return description === undefined ? module.default : { ...module.default, description }
}

async function findText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
