import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { agreeTo } from '../../../test/agree-to.ts'
import { openCatalog, type Catalog } from '../../../test/catalog.ts'
import { startPeer, type Peer } from '../../../test/peer.ts'
import { isAlive } from '../../../test/rough-folder.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { Called, Pml } from '../../index.ts'

let registry: TestRegistry
let catalog: Catalog
let peer: Peer
let workspace: TestWorkspace
let pml: Pml
let outside: string
let count = 0

beforeAll(async () => {
  registry = await startRegistry()
  catalog = await openCatalog(registry)
  peer = await startPeer((response) => response.end('answer'))
})
afterAll(async () => {
  await registry.stop()
  await peer.stop()
})
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  workspace.env['GRANTED_WORD'] = 'the word'
  workspace.env['OTHER_WORD'] = 'another word'
  await workspace.writeConfig({ permissions: { allow: ['*'] } })
  await writeFile(join(workspace.root, 'inside.txt'), 'inside')
  outside = join(dirname(workspace.root), 'outside.txt')
  await writeFile(outside, 'outside')
  pml = await workspace.open()
})
afterEach(() => workspace.remove())

/** A module that declares this and does that. */
async function publish(permissions: object | undefined, body: string): Promise<string> {
  const id = `permitted${count++}`
  const declared =
    permissions === undefined ? '' : `export const permissions = ${JSON.stringify(permissions)}\n`
  await catalog.code(`acme.tools.${id}.run`, `${declared}export default async () => { ${body} }\n`)
  return `${id}:run`
}

const result = async (tool: string) => ((await pml.call(tool)) as Called).result
const grant = (tool: string, given: object) =>
  workspace.writeConfig({ permissions: { allow: ['*'] }, grants: { [tool]: given } })

/** What a module may say when it could not do what it tried. */
const caught = (body: string) =>
  `try { ${body} } catch (error) { return (error as Error).name + ': ' + (error as Error).message }`

describe('a module that declares nothing', () => {
  it.each([
    ['read', 'return Deno.readTextFileSync("inside.txt")'],
    ['write', 'Deno.writeTextFileSync("new.txt", "x")'],
    ['net', 'return await (await fetch("http://127.0.0.1:9")).text()'],
    ['env', 'return Deno.env.get("GRANTED_WORD")'],
    ['run', 'return new Deno.Command("true").outputSync().code'],
    ['ffi', 'return Deno.dlopen("libc.so.6", {})'],
    ['sys', 'return Deno.hostname()'],
    ['read by node', 'return (await import("node:fs")).readFileSync("inside.txt", "utf8")'],
    ['env by node', 'return (await import("node:process")).default.env.GRANTED_WORD ?? fail()'],
    ['run by node', 'return (await import("node:child_process")).execFileSync("true")'],
    [
      'read in a worker',
      'return await new Promise((done, fail) => { const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(Deno.readTextFileSync(\'inside.txt\'))"])), { type: "module" }); worker.onmessage = (e) => done(e.data); worker.onerror = (e) => { e.preventDefault(); fail(new Error(e.message)) } })',
    ],
  ])('may not %s, and the error names the missing declaration', async (_kind, body) => {
    const tool = await publish(undefined, body)
    await expect(pml.call(tool)).rejects.toMatchObject({ code: 'tool_failed', exitCode: 1 })
  })

  it('cannot ask for more', async () => {
    const tool = await publish(undefined, 'return (await Deno.permissions.request({ name: "read" })).state')
    expect(await result(tool)).toBe('denied')
  })

  it('fails with the missing declaration, not with Deno’s advice about flags', async () => {
    const tool = await publish(undefined, 'return Deno.readTextFileSync("inside.txt")')
    await expect(pml.call(tool)).rejects.toMatchObject({
      message: expect.stringContaining(
        'permission denied: Requires read access to "inside.txt"; a module needs',
      ),
    })
    await expect(pml.call(tool)).rejects.not.toMatchObject({ message: expect.stringContaining('--allow') })
  })
})

/** The registry refuses every import that it can read; this one it cannot. */
const load = (url: string) => `return (await new Function("url", "return import(url)")(${url})).default`

describe('what a module imports', () => {
  it('is tried in a way that works where it may', async () => {
    expect(await result(await publish(undefined, load('"data:text/javascript,export default 7"')))).toBe(7)
  })

  it.each([
    ['a remote module', () => `${peer.url}/evil.ts`],
    ['a module of a known host', () => 'https://deno.land/std@0.224.0/version.ts'],
    ['an npm package', () => 'npm:is-odd'],
    ['a JSR package', () => 'jsr:@std/assert'],
    ['a file outside', () => `file://${join(dirname(workspace.root), 'module.ts')}`],
    ['a relative file', () => './module.ts'],
  ])('is not %s, neither at once nor later', async (_what, target) => {
    for (const folder of [workspace.root, dirname(workspace.root)])
      await writeFile(join(folder, 'module.ts'), 'export default "loaded"\n')
    const later = await publish({ read: ['.'] }, load(JSON.stringify(target())))
    await expect(pml.call(later)).rejects.toMatchObject({ code: 'tool_failed' })
    const inner = `export { default } from ${JSON.stringify(target())}`
    const blob = `URL.createObjectURL(new Blob([${JSON.stringify(inner)}], { type: 'text/javascript' }))`
    const deeper = await publish({ read: ['.'] }, load(blob))
    await expect(pml.call(deeper)).rejects.toMatchObject({ code: 'tool_failed' })
    expect(peer.seen).toEqual([])
  })

  it('as data has no more permissions than itself', async () => {
    const inner = 'export default Deno.readTextFileSync("inside.txt")'
    const url = `data:application/javascript,${encodeURIComponent(inner)}`
    const tool = await publish(undefined, load(JSON.stringify(url)))
    await expect(pml.call(tool)).rejects.toMatchObject({ code: 'tool_failed' })
  })
})

describe('reading', () => {
  it('inside of the workspace needs only to be declared', async () => {
    const tool = await publish({ read: ['.'] }, 'return Deno.readTextFileSync("inside.txt")')
    expect(await result(tool)).toBe('inside')
    const { stdout } = await workspace.run(['run', tool])
    expect(stdout).toBe('inside\n')
  })

  it('covers only what was declared', async () => {
    await mkdir(join(workspace.root, 'docs'))
    const tool = await publish({ read: ['docs'] }, caught('return Deno.readTextFileSync("inside.txt")'))
    expect(await result(tool)).toMatch(/^NotCapable/)
  })

  it('of pml’s own files is never granted', async () => {
    await workspace.writeConfig({
      permissions: { allow: ['*'] },
      grants: { '*': { read: true, write: true } },
    })
    await pml.fetch(await publish(undefined, 'return 1'))
    for (const declared of [
      { read: ['.'], write: ['.'] },
      { read: true, write: true },
    ])
      for (const target of ['.pml/mcp.lock', '.pml.json', '../work/.pml/mcp.lock']) {
        const path = JSON.stringify(target)
        const before = await readFile(join(workspace.root, target), 'utf8').catch(() => undefined)
        for (const body of [
          `return Deno.readTextFileSync(${path})`,
          `Deno.writeTextFileSync(${path}, "{}")`,
          `Deno.renameSync("inside.txt", ${path})`,
          `Deno.renameSync(${path}, "taken")`,
          `Deno.copyFileSync(${path}, "copy")`,
          `Deno.linkSync(${path}, "hard")`,
          `Deno.removeSync(${path})`,
          `Deno.removeSync(".", { recursive: true })`,
          `Deno.removeSync(".pml", { recursive: true })`,
          `(await import("node:fs")).unlinkSync(${path})`,
        ]) {
          const tool = await publish(declared, caught(`${body}; return "done"`))
          expect([body, await result(tool)]).toEqual([
            body,
            expect.stringMatching(/^NotCapable|^Error|^Perm/),
          ])
        }
        if (!target.endsWith('mcp.lock'))
          expect(await readFile(join(workspace.root, target), 'utf8')).toBe(before)
      }
  }, 300_000)

  it('through a link does not leave the workspace, nor reach what pml keeps', async () => {
    await pml.fetch(await publish(undefined, 'return 1'))
    await symlink(outside, join(workspace.root, 'link.txt'))
    await symlink(dirname(workspace.root), join(workspace.root, 'up'))
    await symlink('.pml', join(workspace.root, 'state'))
    await symlink('.pml.json', join(workspace.root, 'config'))
    for (const path of ['link.txt', 'up/outside.txt', 'state/mcp.lock', 'config', 'up/work/.pml.json']) {
      const tool = await publish(
        { read: ['.'] },
        caught(`return Deno.readTextFileSync(${JSON.stringify(path)})`),
      )
      expect([path, await result(tool)]).toEqual([path, expect.stringMatching(/^NotCapable/)])
      const declared = await publish(
        { read: [path] },
        `return Deno.readTextFileSync(${JSON.stringify(path)})`,
      )
      await expect(pml.call(declared)).rejects.toMatchObject({ name: 'PmlError' })
    }
  })
})

/** Does what the message says: adds the JSON that it names to `.pml.json`, and agrees to it. */
async function addAsTold(message: string): Promise<void> {
  const [, addition = ''] = /add (\{.*\}) to \.pml\.json/.exec(message) ?? []
  const file = join(workspace.root, '.pml.json')
  const config = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...config, ...(JSON.parse(addition) as object) }))
  await agreeTo(workspace.root, workspace.env)
}

describe('what is declared and not granted', () => {
  const cases = [
    [
      'reading outside',
      { read: ['../outside.txt'] },
      'return Deno.readTextFileSync("../outside.txt")',
      'outside',
    ],
    [
      'writing',
      { write: ['out'] },
      'Deno.mkdirSync("out"); Deno.writeTextFileSync("out/a", "x"); return 1',
      1,
    ],
    ['net', { net: ['127.0.0.1'] }, 'return await (await fetch(PEER)).text()', 'answer'],
    ['env', { env: ['GRANTED_WORD'] }, 'return Deno.env.get("GRANTED_WORD")', 'the word'],
    ['run', { run: ['true'] }, 'return new Deno.Command("true").outputSync().code', 0],
    ['sys', { sys: ['hostname'] }, 'return typeof Deno.hostname()', 'string'],
    ['ffi', { ffi: true }, 'return typeof Deno.dlopen', 'function'],
  ] as const

  it.each(cases)('stops %s with exit 5, and works when the message is followed', async (...given) => {
    const [, permissions, body, expected] = given
    const tool = await publish(permissions, body.replace('PEER', JSON.stringify(`${peer.url}/granted`)))
    const error = (await pml.call(tool).catch((thrown: unknown) => thrown)) as Error & { code: string }
    expect(error).toMatchObject({ name: 'PmlError', code: 'not_granted', exitCode: 5 })
    const { exit, stdout } = await workspace.run(['run', tool, '--json'])
    expect([exit, JSON.parse(stdout)]).toEqual([5, expect.objectContaining({ error: 'not_granted' })])
    await addAsTold(error.message)
    expect(await result(tool)).toBe(expected)
  })

  it('is printed so that it is valid on every machine', async () => {
    const tool = await publish({ write: ['out', '.'] }, 'return 1')
    await expect(pml.call(tool)).rejects.toMatchObject({
      message: expect.stringContaining(`add {"grants":{"${tool}":{"write":["out","."]}}} to .pml.json`),
    })
  })

  it.each(['read', { write: 'out' }, { net: [1] }, { all: true }, [], null, { read: [''] }])(
    'in a way that cannot be read is refused: %j',
    async (permissions) => {
      const id = `permitted${count++}`
      await catalog.code(
        `acme.tools.${id}.run`,
        `export const permissions: any = ${JSON.stringify(permissions)}\nexport default () => 1\n`,
      )
      await expect(pml.call(`${id}:run`)).rejects.toMatchObject({ code: 'tool_failed' })
    },
  )
})

describe('what a module starts', () => {
  it('ends with it, in whatever session it is', async () => {
    const child =
      'new Deno.Command("setsid", { args: ["sh", "-c", "echo $$ > pid; exec sleep 300"] }).spawn()'
    const wait = 'for (;;) { try { if (Deno.readTextFileSync("pid")) break } catch { await 0 } }'
    const tool = await publish({ read: ['.'], run: ['setsid'] }, `${child}.unref(); ${wait} return 1`)
    await grant(tool, { run: ['setsid'] })
    expect(await result(tool)).toBe(1)
    const pid = Number(await readFile(join(workspace.root, 'pid'), 'utf8'))
    expect([pid > 1, await isAlive(pid)]).toEqual([true, false])
  })
})

describe('the environment of a module', () => {
  it('is what it declares and is granted, and nothing else', async () => {
    const body = `const names = ["GRANTED_WORD", "OTHER_WORD", "PML_REGISTRY_URL", "PATH", "HOME", "DENO_DIR"]
      return names.map((name) => { try { return Deno.env.get(name) ?? null } catch { return "no" } })`
    const tool = await publish({ env: ['GRANTED_WORD'] }, body)
    await grant(tool, { env: true })
    expect(await result(tool)).toEqual(['the word', 'no', 'no', 'no', 'no', 'no'])
  })
})
