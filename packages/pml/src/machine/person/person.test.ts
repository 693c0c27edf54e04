import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasTerminal, runOnTerminal } from '../../../test/terminal.ts'
import { listed, makeServedPlace, tool, type ServeOptions, type ServedPlace } from '../../../test/served.ts'

const bin = fileURLToPath(new URL('../../../bin/pml.js', import.meta.url))
const unknownId = '0b7c1d6e-5a55-4d0e-9a39-6a1f3f5f7c11'

let place: ServedPlace
beforeEach(async () => {
  place = await makeServedPlace()
  await place.server('one', [tool('echo')])
  await place.config({ ask: ['*'] })
})
afterEach(() => place.remove())

const settingsFile = () => join(place.env['XDG_CONFIG_HOME'] ?? '', 'pml', 'settings.json')
const settings = (text: string) => writeFile(settingsFile(), text)
const noSettings = () => rm(settingsFile())
const call = { name: 'one__echo', arguments: {} }

async function serve(options: ServeOptions = {}) {
  const served = await place.serve(options)
  await listed(served, 'one__echo')
  return served
}

/** The id of a question that an agent behind the gateway has run into. */
async function ask(): Promise<string> {
  const served = await serve()
  const result = await served.client.callTool(call)
  await served.close()
  return /Question ([0-9a-f-]{36})/.exec(JSON.stringify(result))?.[1] ?? ''
}

describe('an answer on the command line', () => {
  it('needs a terminal of a person, and the error says what to do', async () => {
    const id = await ask()
    await noSettings()
    for (const word of ['--approve', '--reject', '--approve --always', '--approve --run']) {
      const { exit, stderr } = await place.run('continue', id, ...word.split(' '))
      expect(stderr).toContain(`Cannot answer ${id}: this is not a person's own terminal: `)
      expect(stderr).toContain(`and run "pml continue ${id} --`)
      expect(exit).toBe(5)
    }
    await settings('{"proof": {"terminal": "any"}}')
    expect((await place.run('continue', id, '--approve')).exit).toBe(0)
  })

  it('is kept with its proof', async () => {
    const id = await ask()
    await place.run('continue', id, '--approve')
    const kept = await readFile(join(place.root, '.pml', 'approvals', `${id}.answered`), 'utf8')
    expect(JSON.parse(kept)).toEqual({
      approved: true,
      proof: { kind: 'none' },
      answeredAt: expect.any(String),
    })
  })

  it.each([
    ['no JSON', '{'],
    ['an unknown word', '{"proof": {"terminal": "anyone"}}'],
    ['an unknown member', '{"proof": {"terminals": "any"}}'],
    ['a list', '[]'],
    ['null', '{"proof": null}'],
  ])('stops where the settings are %s', async (_what, text) => {
    await settings(text)
    const { exit, stderr } = await place.run('continue', unknownId, '--approve')
    expect([exit, stderr]).toEqual([2, expect.stringContaining('settings.json: expected')])
  })

  it('cannot be made easier by the workspace', async () => {
    const id = await ask()
    await noSettings()
    await mkdir(join(place.root, '.pml'), { recursive: true })
    await writeFile(join(place.root, '.pml', 'settings.json'), '{"proof": {"terminal": "any"}}')
    expect((await place.run('continue', id, '--approve')).exit).toBe(5)
    await writeFile(
      join(place.root, '.pml.json'),
      '{"version": 1, "permissions": {"ask": ["*"]}, "proof": {"terminal": "any"}}',
    )
    expect((await place.run('continue', id, '--approve')).exit).not.toBe(0)
  })
})

describe('a command that takes protection away or consents', () => {
  it.each([
    ['mcp enable', ['mcp', 'enable', 'one'], 'Cannot enable one'],
    ['hooks uninstall', ['hooks', 'uninstall', '--agent', 'claude', '--yes'], 'Cannot uninstall the hook'],
    [
      'client uninstall',
      ['client', 'uninstall', '--client', 'claude', '--yes'],
      'Cannot uninstall the gateway',
    ],
  ])('%s needs a person', async (_name, argv, message) => {
    await noSettings()
    const { exit, stderr } = await place.run(...argv)
    expect([exit, stderr]).toEqual([5, expect.stringContaining(message)])
  })

  it('"hooks accept" says in words that nothing is held', async () => {
    expect(await place.run('hooks', 'accept')).toMatchObject({
      exit: 0,
      stdout: 'No file was accepted: none is held here, or you said no\n',
    })
  })

  it.each([
    ['add', 'memory'],
    ['rollback', 'memory'],
  ])('%s is refused to an agent, not to a script', async (...argv) => {
    await noSettings()
    const script = await place.run(...argv)
    expect(script.stderr).not.toContain('coding agent')
    const started = place.run(...argv)
    place.env['CLAUDECODE'] = '1'
    await started
    const { exit, stderr } = await place.run(...argv)
    expect([exit, stderr]).toEqual([
      5,
      expect.stringContaining('CLAUDECODE is set, a variable of Claude Code'),
    ])
  })
})

describe.skipIf(!hasTerminal)('a terminal that a program made', () => {
  it('is not asked: the question waits for a person', async () => {
    await noSettings()
    const where = { root: place.root, env: place.env }
    const { exit, text } = await runOnTerminal(where, ['run', 'one:echo'], ['y\r'], bin)
    expect(text).toContain('Not asking')
    expect(text).not.toContain('Approve?')
    expect(exit).toBe(3)
  })
})

describe("the dialog of the gateway's client", () => {
  const yes = () => ({ action: 'accept', content: { answer: 'once' } }) as const

  it('counts, and is told with the answer', async () => {
    await noSettings()
    const served = await serve({ answer: yes })
    expect(await served.client.callTool(call)).not.toHaveProperty('isError', true)
  })

  it('does not open where the person takes no answers from dialogs', async () => {
    await settings('{"proof": {"dialog": false}}')
    let asked = 0
    const served = await serve({ answer: () => (asked++, yes()) })
    const result = JSON.stringify(await served.client.callTool(call))
    expect(result).toContain('does not accept answers in dialogs')
    expect(result).toContain('pml continue')
    expect(asked).toBe(0)
  })

  /** Runs a command, or a line in a shell. */
  async function fakeAgent(line: string): Promise<string> {
    const path = join(place.root, 'claude')
    await writeFile(path, `#!/bin/sh\n${line}; :\n`)
    await chmod(path, 0o755)
    return path
  }

  it('counts for the agent that started the gateway', async () => {
    await noSettings()
    const served = await serve({ answer: yes, through: [await fakeAgent('"$@"')] })
    expect(await served.client.callTool(call)).not.toHaveProperty('isError', true)
  })

  it('does not open for a client that an agent started in a shell', async () => {
    await noSettings()
    let asked = 0
    const agent = await fakeAgent(`sh -c '"$0" "$@"; :' "$@"`)
    const served = await serve({ answer: () => (asked++, yes()), through: [agent] })
    const result = JSON.stringify(await served.client.callTool(call))
    expect(result).toContain('Claude Code started the client that would answer (sh, process')
    expect(asked).toBe(0)
  })
})
