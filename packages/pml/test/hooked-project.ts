import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Outcome, RunOptions } from './pml-process.ts'
import { answerAnywhere, makeWorkspace, type TestWorkspace } from './test-workspace.ts'

/** A project with pml in its `node_modules`, and its own home. */
export interface HookedProject {
  readonly workspace: TestWorkspace
  readonly home: string
  readonly env: Record<string, string>
  at(...parts: string[]): string
  run(argv: readonly string[], options?: RunOptions): Promise<Outcome>
  json(argv: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>
  write(path: string, text: string): Promise<void>
  /** Undefined if the file does not exist. */
  read(path: string): Promise<string | undefined>
  /** Replaces the pml of the project by this script. */
  script(text: string): Promise<void>
  /** Adds a program to PATH. */
  program(name: string, lines: string): Promise<void>
  remove(): Promise<void>
}

/** A script that decides like pml, from the event alone. */
export const JUDGING = `
  let event = ''
  for await (const part of process.stdin) event += part
  if (event.includes('telegram')) {
    console.error('BLOCKED::NO_SCRIPTS\\nUse the MCP')
    process.exit(2)
  }
`

export async function makeHookedProject(): Promise<HookedProject> {
  const workspace = await makeWorkspace('http://127.0.0.1:9')
  const folder = dirname(workspace.root)
  const [home, programs] = [join(folder, 'home'), join(folder, 'programs')]
  const config = join(home, '.config')
  const env = { HOME: home, XDG_CONFIG_HOME: config, PATH: `${programs}:${process.env['PATH']}` }
  await Promise.all([mkdir(home), mkdir(programs)])
  await answerAnywhere(config)
  const at = (...parts: string[]) => join(workspace.root, ...parts)
  const run: HookedProject['run'] = (argv, request = {}) =>
    workspace.run(argv, { ...request, env: { ...env, ...request.env } })
  const write: HookedProject['write'] = async (path, text) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  const script = (text: string) => write(at('node_modules', '@pml-registry', 'pml', 'bin', 'pml.js'), text)
  await script(JUDGING)
  await write(at('node_modules', '@pml-registry', 'pml', 'package.json'), '{ "type": "module" }')
  return {
    workspace,
    home,
    env: { ...workspace.env, ...env },
    at,
    run,
    json: async (argv, request) => JSON.parse((await run([...argv, '--json'], request)).stdout),
    write,
    read: (path) => readFile(path, 'utf8').catch(() => undefined),
    script,
    program: async (name, lines) => {
      await write(join(programs, name), `#!/bin/sh\n${lines}\n`)
      await chmod(join(programs, name), 0o755)
    },
    remove: () => workspace.remove(),
  }
}
