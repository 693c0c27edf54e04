import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-lint-'))
  await cp(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
})
afterAll(() => rm(folder, { recursive: true }))

/** What the linter says about one file at one place of the workspace. */
async function lint(path: string, source: string): Promise<string> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), source)
  return new Promise((done) => {
    execFile(
      join(root, 'node_modules/.bin/oxlint'),
      ['--deny-warnings', path],
      { cwd: folder },
      (error, stdout) => done(error ? stdout : 'clean'),
    )
  })
}

describe('the linter keeps directions', () => {
  it.each([
    [
      'packages/core/src/a.ts',
      `import { readFile } from 'node:fs'\nexport const a = readFile\n`,
      'core is pure',
    ],
    ['packages/core/src/b.ts', `import { app } from '@pml/server'\nexport const a = app\n`, 'core is pure'],
    ['packages/core/src/c.ts', `export const a = () => Date.now()\n`, 'core is pure'],
    ['packages/core/src/d.ts', `export const a = process.env\n`, 'core is pure'],
    ['packages/std/src/m/t.ts', `import { z } from 'zod'\nexport default z\n`, 'a MiniTool is one file'],
    ['packages/std/src/m/u.ts', `import { t } from './t.ts'\nexport default t\n`, 'a MiniTool is one file'],
    [
      'apps/server/src/app.ts',
      `import { eq } from 'drizzle-orm'\nexport const a = eq\n`,
      'queries live in the verbs',
    ],
    [
      'apps/server/src/catalog/verb.ts',
      `import { Hono } from 'hono'\nexport const a = Hono\n`,
      'verbs know nothing of HTTP',
    ],
    ['apps/server/src/config.ts', `export const a = process.env\n`, 'touch process'],
    [
      'apps/server/src/catalog/x.test.ts',
      `import { it } from 'vitest'\nit.only('x', () => {})\n`,
      'no-focused-tests',
    ],
  ])('in %s', async (path, source, rule) => {
    expect(await lint(path, source)).toContain(rule)
  })

  it.each([
    ['packages/core/src/e.ts', `import { createHash } from 'node:crypto'\nexport const a = createHash\n`],
    ['packages/std/src/m/v.ts', `import { sep } from 'node:path'\nexport default sep\n`],
    ['apps/server/src/catalog/w.ts', `import { eq } from 'drizzle-orm'\nexport const a = eq\n`],
    ['apps/server/src/main.ts', `export const a = process.env\n`],
  ])('and leaves alone what belongs in %s', async (path, source) => {
    expect(await lint(path, source)).toBe('clean')
  })
})
