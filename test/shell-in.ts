import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootDir } from '../apps/server/test/paths.ts'

/** The first commands below a heading of a page. */
export async function shellIn(page: string, heading: string): Promise<string> {
  const text = await readFile(join(rootDir, page), 'utf8')
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const [, code = ''] = /```sh\n([^]*?)```/.exec(section) ?? []
  return code
}
