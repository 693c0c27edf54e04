import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { verbs } from '../../../hooks/src/own-command/verbs.ts'
import { reservedWords } from '../cli/program.ts'

it('the guard knows every command that pml has', async () => {
  const index = new URL('../../bundle/commands/index.json', import.meta.url)
  const list = JSON.parse(await readFile(index, 'utf8')) as { category?: string; command: string }[]
  const names = list.map(({ category, command }) => [category, command].filter(Boolean).join(' '))
  const known = Object.keys(verbs)
  expect([...names, ...reservedWords].filter((name) => !known.includes(name))).toEqual([])
  expect(known.filter((name) => ![...names, ...reservedWords].includes(name))).toEqual([])
})
