import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootDir } from '../apps/server/test/paths.ts'

/** All commands below a heading of a page. */
export async function shellIn(page: string, heading: string): Promise<string> {
  const [, section = ''] = (await readPage(page)).split(`\n## ${heading}\n`)
  return blocksIn(section.split('\n## ')[0] ?? '', 'sh').join('')
}

export function readPage(page: string): Promise<string> {
  return readFile(join(rootDir, page), 'utf8')
}

/** The blocks of code in one language. */
export function blocksIn(text: string, language: string): string[] {
  return Array.from(
    text.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g')),
    ([, code = '']) => code,
  )
}
