import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface Tool {
  readonly module: string
  readonly name: string
  readonly url: string
  readonly source: string
  readonly exports: Readonly<Record<string, unknown>>
}

/** Every file under src, whatever it exports: the shape is for a test to judge. */
export async function loadTools(): Promise<Tool[]> {
  const root = fileURLToPath(new URL('../src/', import.meta.url))
  const files = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  return Promise.all(paths.sort().map(load))
}

async function load(path: string): Promise<Tool> {
  const { href } = pathToFileURL(path)
  return {
    module: basename(dirname(path)),
    name: basename(path, '.ts'),
    url: href,
    source: await readFile(path, 'utf8'),
    exports: await import(href),
  }
}
