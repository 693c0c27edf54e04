import { mkdir, readFile, realpath, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, type ElicitRequest, type ElicitResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { agreeTo } from './agree-to.ts'
import { answerAnywhere } from './test-workspace.ts'
import { runPml, startPml, type Outcome, type RunningPml } from './pml-process.ts'

const bin = fileURLToPath(new URL('../bin/pml.js', import.meta.url))
const program = fileURLToPath(new URL('listed-server.mjs', import.meta.url))

export type Era = 'legacy' | 'modern'
type Form = Extract<ElicitRequest['params'], { requestedSchema: unknown }>

export interface Served {
  /** An agent's client, connected to `pml serve`. */
  readonly client: Client
  readonly pid: number
  /** Resolves at the next notification of a changed list. */
  nextChange(): Promise<void>
  readonly stderr: string[]
  close(): Promise<void>
}

/** A workspace with server files and the built command. */
export interface ServedPlace {
  readonly root: string
  readonly env: Record<string, string>
  /** Writes a file for a server of the person, with these tools. */
  server(name: string, tools: readonly object[], more?: object): Promise<string>
  /** Writes any server file into the folder of the person or of the project. */
  write(scope: 'user' | 'project', name: string, content: unknown): Promise<string>
  config(permissions: object): Promise<void>
  serve(options?: ServeOptions): Promise<Served>
  run(...argv: string[]): Promise<Outcome>
  start(...argv: string[]): RunningPml
  remove(): Promise<void>
}

/** Commands may install servers from npm, which takes minutes on a slow network. */
const INSTALL_TIMEOUT_MS = 280_000

export interface ServeOptions {
  readonly era?: Era
  /** The person's answers in the client's dialog; without them the client has no dialog. */
  readonly answer?: (form: Form) => ElicitResult | Promise<ElicitResult>
  readonly argv?: readonly string[]
  /** The command line that starts it. */
  readonly through?: readonly string[]
}

export function tool(name: string, more: object = {}): object {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more }
}

export async function makeServedPlace(): Promise<ServedPlace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'pml-served-')))
  const [root, config] = [join(folder, 'work'), join(folder, 'config')]
  await mkdir(root)
  await answerAnywhere(config)
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_CONFIG_HOME: config,
    XDG_STATE_HOME: join(folder, 'state'),
    PML_CACHE_DIR: join(folder, 'cache'),
    // Nothing listens there.
    PML_REGISTRY_URL: 'http://127.0.0.1:9',
  }
  const opened: Served[] = []
  const folders = { user: join(config, 'pml', 'mcp'), project: join(root, '.pml', 'mcp') }
  const put = async (path: string, content: unknown) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    return path
  }
  return {
    root,
    env,
    server: async (name, tools, more = {}) => {
      const file = await put(join(folder, `${name}.tools.json`), { tools })
      await put(join(folders.user, `${name}.json`), {
        command: process.execPath,
        args: [program, file],
        ...more,
      })
      return file
    },
    write: (scope, name, content) => put(join(folders[scope], `${name}.json`), content),
    config: async (permissions) => {
      await put(join(root, '.pml.json'), { version: 1, permissions })
      await agreeTo(root, env)
    },
    serve: async ({ era = 'legacy', answer, argv = [], through = [] } = {}) => {
      const changes: (() => void)[] = []
      const client = new Client(
        { name: 'agent', version: '7' },
        {
          capabilities: answer ? { elicitation: { form: {} } } : {},
          versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
          listChanged: {
            tools: { onChanged: () => changes.splice(0).forEach((tell) => tell()), autoRefresh: false },
          },
        },
      )
      if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params as Form))
      const [first = '', ...words] = [...through, process.execPath]
      const transport = new StdioClientTransport({
        command: first,
        args: [...words, bin, 'serve', ...argv],
        cwd: root,
        env,
        stderr: 'pipe',
      })
      const stderr: string[] = []
      transport.stderr?.on('data', (part: Buffer) => stderr.push(part.toString()))
      await client.connect(transport)
      const served: Served = {
        client,
        pid: transport.pid ?? 0,
        stderr,
        nextChange: () => new Promise((done) => changes.push(done)),
        close: () => client.close(),
      }
      opened.push(served)
      return served
    },
    run: (...argv) => runPml(bin, argv, { cwd: root, env, timeoutMs: INSTALL_TIMEOUT_MS }),
    start: (...argv) => startPml(bin, argv, { cwd: root, env }),
    remove: async () => {
      await Promise.all(opened.map((served) => served.close()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the gateway has seen its servers, because it starts new ones in the background. */
export function listed(served: Served, name: string): Promise<readonly string[]> {
  return untilListed(served, (names) => names.includes(name))
}

export function unlisted(served: Served, name: string): Promise<readonly string[]> {
  return untilListed(served, (names) => !names.includes(name))
}

async function untilListed(
  served: Served,
  isDone: (names: readonly string[]) => boolean,
): Promise<readonly string[]> {
  for (;;) {
    const changed = served.nextChange()
    const { tools } = await served.client.listTools()
    const names = tools.map((one) => one.name)
    if (isDone(names)) return names
    await changed
  }
}

export function textIn(result: unknown): string {
  const { content = [] } = result as { content?: { text?: string }[] }
  return content.map(({ text = '' }) => text).join('\n')
}

export async function readLock(root: string): Promise<string> {
  return readFile(join(root, '.pml', 'mcp.lock'), 'utf8')
}
