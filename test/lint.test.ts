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

/** The linter's messages for one file at one path of the workspace. */
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

const rooms: Readonly<Record<string, readonly string[]>> = {
  api: [],
  machine: ['api'],
  workspace: ['api', 'machine'],
  registry: ['api', 'machine', 'workspace'],
  npm: ['api', 'machine'],
  mcp: ['api', 'machine'],
  servers: ['api', 'machine', 'workspace', 'registry', 'npm', 'mcp'],
  calls: ['api', 'machine', 'workspace', 'registry', 'npm', 'mcp', 'servers'],
  gateway: ['api', 'machine', 'workspace', 'registry', 'mcp', 'servers', 'calls'],
  agents: ['api', 'machine', 'workspace'],
  guard: ['api', 'machine', 'workspace', 'agents', 'servers/listing'],
}

describe('the linter keeps the rooms of pml apart:', () => {
  it.each(Object.entries(rooms))('%s', async (room, open) => {
    const others = [...Object.keys(rooms), 'servers/listing', 'commands', 'cli'].filter(
      (other) => !other.startsWith(room),
    )
    const source = others.map((other, at) => `import { a as a${at} } from '../../${other}/a.ts'`)
    const uses = others.map((_other, at) => `a${at}`)
    const said = await lint(
      `packages/pml/src/${room}/deep/a.ts`,
      `${source.join('\n')}\nexport const a = [${uses.join(', ')}]\n`,
    )
    const refused = others.filter((other) => said.includes(`'../../${other}/a.ts' import is restricted`))
    const isOpen = (other: string) => open.some((one) => other === one || other.startsWith(`${one}/`))
    expect(refused).toEqual(others.filter((other) => !isOpen(other)))
  })
})

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
    [
      'packages/tools/src/a.ts',
      `import { Hono } from 'hono'\nexport const a = Hono\n`,
      'tools stand on core',
    ],
    ['packages/tools/src/b.ts', `import { a } from './cli/a.ts'\nexport const b = a\n`, 'knows no surface'],
    ['packages/tools/src/c.ts', `export const a = process.env\n`, 'take what you need'],
    ['packages/tools/src/cli/a.ts', `import { z } from 'zod'\nexport const a = z\n`, 'starts without zod'],
    [
      'packages/tools/src/cli/b.ts',
      `import { readFile } from 'node:fs/promises'\nexport const a = readFile\n`,
      'the outside as an argument',
    ],
    [
      'packages/tools/src/cli/c.ts',
      `import { ToolRegistry } from '../tool-registry.ts'\nexport const a = ToolRegistry\n`,
      'starts without zod',
    ],
    ['packages/tools/src/cli/d/e.ts', `export const a = process.argv\n`, 'take what you need'],
    ['packages/tools/src/cli/f.ts', `export const a = () => fetch('x')\n`, 'take what you need'],
    [
      'packages/tools/src/mcp/a.ts',
      `import { Hono } from 'hono'\nexport const a = Hono\n`,
      'the MCP surface stands on',
    ],
    [
      'packages/tools/src/http/a.ts',
      `import { Client } from '@modelcontextprotocol/client'\nexport const a = Client\n`,
      'the HTTP surface stands on',
    ],
    ['packages/pml/src/a.ts', `export const a = process.env\n`, 'only main.ts and ops.ts touch process'],
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
    [
      'apps/server/src/changes/verb.ts',
      `import { send } from '../http/observe-requests.ts'\nexport const a = send\n`,
      'verbs know nothing of HTTP',
    ],
    [
      'apps/server/src/wire/a.ts',
      `import { send } from '../http/observe-requests.ts'\nexport const a = send\n`,
      'knows nothing of HTTP',
    ],
    [
      'apps/server/src/proxy/a.ts',
      `import { eq } from 'drizzle-orm'\nexport const a = eq\n`,
      'queries live in the verbs',
    ],
    ['apps/server/src/config.ts', `export const a = process.env\n`, 'touch process'],
    [
      'apps/server/src/changes/wait.ts',
      `export const a = (b: AbortSignal) => AbortSignal.any([b, AbortSignal.timeout(1)])\n`,
      'garbage-collected',
    ],
    [
      'packages/pml/src/commands/lock/a.ts',
      `import { z } from 'zod'\nexport default z\n`,
      'a command starts without zod',
    ],
    [
      'packages/pml/src/commands/lock/b.ts',
      `import { fqdn } from '../shapes.ts'\nexport default fqdn\n`,
      'a command starts without zod',
    ],
    [
      'packages/pml/src/commands/lock/c.ts',
      `import { callOwn } from '../../cli/call-own.ts'\nexport default callOwn\n`,
      'commands imports only',
    ],
    ['packages/pml/src/b.ts', `const { any } = AbortSignal\nexport const a = any\n`, 'garbage-collected'],
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
    [
      'packages/tools/src/cli/g.ts',
      `import { PmlError } from '@pml/core/errors'\nimport type { Command } from '../ready-tool.ts'\nexport const a = (b: Command) => new PmlError('gone', b.name)\n`,
    ],
    [
      'packages/tools/src/mcp/b.ts',
      `import { McpServer } from '@modelcontextprotocol/server'\nexport const a = McpServer\n`,
    ],
    ['packages/tools/src/http/b.ts', `import { Hono } from 'hono'\nexport const a = Hono\n`],
    ['packages/pml/src/main.ts', `export const a = process.argv\n`],
    ['packages/std/src/m/v.ts', `import { sep } from 'node:path'\nexport default sep\n`],
    ['apps/server/src/catalog/w.ts', `import { eq } from 'drizzle-orm'\nexport const a = eq\n`],
    ['apps/server/src/main.ts', `export const a = process.env\n`],
    ['packages/pml/src/commands/shapes.ts', `import { z } from 'zod'\nexport const a = z\n`],
    ['packages/pml/src/c.ts', `export const a = () => AbortSignal.timeout(1)\n`],
  ])('and allows the valid use in %s', async (path, source) => {
    expect(await lint(path, source)).toBe('clean')
  })
})
