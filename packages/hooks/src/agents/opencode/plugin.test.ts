import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { program } from './plugin.ts'

/** The interface that opencode calls. */
interface Hooks {
  'tool.execute.before'(input: object, output: { args: unknown }): Promise<void>
  'tool.execute.after'(input: object, output: object): Promise<void>
}

const call = { tool: 'write', sessionID: 'ses_1', callID: 'call_1' }
const saves =
  "import { readFileSync, writeFileSync } from 'node:fs'\nwriteFileSync('event.json', readFileSync(0))\n"

let root: string
let count = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pml-plugin-'))
  await mkdir(join(root, '.opencode', 'plugins'), { recursive: true })
})
afterAll(() => rm(root, { recursive: true }))

/** The plugin with a script instead of pml; undefined: there is none. */
async function load(script: string | undefined, change = (text: string) => text): Promise<Hooks> {
  const name = `pml-${count++}.mjs`
  if (script !== undefined) await writeFile(join(root, name), script)
  const hook = { command: process.execPath, args: [name, 'hook', '--agent', 'opencode'] }
  const settings = { hooks: { 'tool.execute.before': [hook], 'tool.execute.after': [hook] } }
  const path = join(root, '.opencode', 'plugins', name)
  await writeFile(path, change(program.print(JSON.stringify(settings, null, 2))))
  const { pml } = (await import(pathToFileURL(path).href)) as {
    pml(input: { directory: string }): Promise<Hooks>
  }
  return pml({ directory: root })
}

describe('the plugin of opencode', () => {
  it('sends the call to the hook, and allows what the hook allows', async () => {
    const hooks = await load(saves)
    await hooks['tool.execute.before'](call, { args: { filePath: '/a', content: 'x' } })
    expect(JSON.parse(await readFile(join(root, 'event.json'), 'utf8'))).toEqual({
      hook_event_name: 'tool.execute.before',
      session_id: 'ses_1',
      tool_use_id: 'call_1',
      cwd: root,
      tool_name: 'write',
      tool_input: { filePath: '/a', content: 'x' },
    })
    await hooks['tool.execute.after'](call, {})
    expect(JSON.parse(await readFile(join(root, 'event.json'), 'utf8'))).toMatchObject({
      hook_event_name: 'tool.execute.after',
    })
  })

  it('refuses with exactly the reason of the hook, before and after', async () => {
    const hooks = await load("process.stderr.write('BLOCKED::NO\\nACTION::x\\n'); process.exitCode = 2")
    const reason = /^BLOCKED::NO\nACTION::x$/
    await expect(hooks['tool.execute.before'](call, { args: {} })).rejects.toThrow(reason)
    await expect(hooks['tool.execute.after'](call, {})).rejects.toThrow(reason)
  })

  it.each([
    ['is missing', undefined],
    ['fails', 'process.exitCode = 1'],
    ['refuses without a reason', 'process.exitCode = 2'],
    ['is killed', "process.kill(process.pid, 'SIGKILL')"],
    ['is no program', ')'],
  ])('refuses if the hook %s', async (_, script) => {
    const hooks = await load(script)
    await expect(hooks['tool.execute.before'](call, { args: {} })).rejects.toThrow(
      /^BLOCKED::HOOK_FAILED\nACTION::/,
    )
  })

  it('refuses if the hook hangs, and kills it', async () => {
    const hooks = await load(
      "import { writeFileSync } from 'node:fs'\nwriteFileSync('pid', String(process.pid))\nfor (;;);",
      (text) => text.replace(/LIMIT_SECONDS = \d+/, 'LIMIT_SECONDS = 1'),
    )
    await expect(hooks['tool.execute.before'](call, { args: {} })).rejects.toThrow('took longer than 1 s')
    const pid = Number(await readFile(join(root, 'pid'), 'utf8'))
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it('keeps other plugins from changing the judged call', async () => {
    const hooks = await load('')
    const args = { command: 'ls', more: { a: [1] } }
    await hooks['tool.execute.before'](call, { args })
    expect(() => (args.command = 'rm -rf /')).toThrow(TypeError)
    expect(() => args.more.a.push(2)).toThrow(TypeError)
  })

  it('contains its settings, and does not recognise programs of others', () => {
    const settings = '{\n  "hooks": {}\n}'
    expect(program.read(program.print(settings))).toBe(settings)
    expect(program.read('export const pml = async () => ({})\n')).toBeUndefined()
    expect(program.read('')).toBeUndefined()
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
