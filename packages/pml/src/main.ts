import { createReadStream, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { runCli, type GlobalFlags } from '@pml/tools/cli'
import type { ClientOptions } from './api/pml.ts'
import type { Client } from './calls/open-client.ts'
import { createCommandFiles } from './cli/command-files.ts'
import { noteOwnWritesIn } from './machine/files/own-writes.ts'
import { processOps, stateHomeOf } from './machine/ops.ts'
import { createPrint, createProgram, INSECURE_HTTP, portIn, serveFlags } from './cli/program.ts'
import { readBounded } from './machine/read-bounded.ts'
import type { ServersMode } from './servers/supervise/servers-mode.ts'
import { openStandardOutput } from './cli/standard-output.ts'
import type { Workspace } from './workspace/open-workspace.ts'

const INTERRUPTED = 130
/** How long a gateway may take to end after its client has disconnected. */
const LINGER_MS = 3000
/** The exit code that blocks a call in every agent. */
const BLOCKED = 2

// Streams are opened on first use: each takes a twentieth of the time of a short command.
const { env } = process
const stop = new AbortController()
/** Asks a server to end in order. */
const leave = new AbortController()
let isServing = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
// A reader that stops early, such as head, is not a failure.
const output = openStandardOutput(
  () => process.stdout,
  (code) => process.exit(code === 'EPIPE' ? 0 : 1),
)

const ops = processOps()
noteOwnWritesIn({ state: stateHomeOf(env, process.platform), isOurs })
const version = versionOf(new URL('../package.json', import.meta.url))
const commands = createCommandFiles(new URL('commands/', import.meta.url))
let client: Promise<Client> | undefined

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  program: createProgram(
    version,
    [
      {
        word: 'hook',
        about: 'Decide about one event of a coding agent on stdin; "pml hooks install" sets it up.',
        // The hook starts before this module loads; a call that comes here has an argument in front of it.
        run: async () => {
          ops.tell(
            'BLOCKED::HOOK_FAILED\nACTION::write "pml hook --agent <agent>", with nothing before "hook"',
          )
          return BLOCKED
        },
      },
      {
        word: 'serve',
        about: 'Serve the tools of all allowed servers to an agent, as one MCP server on stdin and stdout.',
        flags: serveFlags,
        examples: ['serve --http', 'serve --http --port 4100', 'serve --registry'],
        run: async (flags) => {
          isServing = true
          const { input, output, signal } = {
            input: process.stdin,
            output: process.stdout,
            signal: leave.signal,
          }
          if (flags.has('registry')) {
            const [{ serveRegistry }, { registry, http }] = await Promise.all([
              import('./gateway/serve-registry.ts'),
              openOnce(flags),
            ])
            const remote = { http, url: registry.registry }
            return serveRegistry({ registry: remote, version, input, output, signal, tell: ops.tell })
          }
          // A gateway runs all day with little live data, so V8 need not grow its young generation.
          const { setFlagsFromString } = await import('node:v8')
          setFlagsFromString('--semi-space-growth-factor=1')
          const [{ serve }, opened] = await Promise.all([
            import('./gateway/serve.ts'),
            openOnce(flags, { mode: 'gateway' }),
          ])
          const port = portIn(flags)
          const exit = await serve({ client: opened, version, input, output, pid: process.pid, signal, port })
          // A client that has disconnected may never read the remaining output.
          setTimeout(() => process.exit(), LINGER_MS).unref()
          return exit
        },
      },
    ],
    createPrint(commands),
  ),
  commands,
  signal: stop.signal,
  io: {
    print: (text) => output.write(text),
    tell: (text) => void process.stderr.write(text),
    width: output.width,
    hasColor: wantsColor(),
    read: (path, limitBytes) =>
      readBounded(path === '-' ? process.stdin : createReadStream(path), limitBytes),
  },
  call: async ({ name, args, signal }, flags) => {
    const place = commands.findPlace(name)
    if (!commands.isOwn(name) || place === undefined) {
      const [{ callRemoteTool }, { http, registry }] = await Promise.all([
        import('./registry/remote-tools.ts'),
        openOnce(flags),
      ])
      const remote = { http, url: registry.registry }
      if (name !== 'audit_head' && name !== 'audit_verify')
        return callRemoteTool(remote, { name, args: await withProof(name, args), signal })
      const { callSigned, openLogKeys } = await import('./commands/log-keys.ts')
      return callSigned(remote, openLogKeys(ops), { name, args, signal })
    }
    const { callOwn } = await import('./cli/call-own.ts')
    // It runs until the person stops it, which is not a failure.
    const isWatching = place === 'mcp/list' && (args as { watch?: boolean }).watch === true
    if (isWatching) isServing = true
    return callOwn(
      {
        ops,
        signal: isWatching ? leave.signal : signal,
        workspace: workspaceIn(flags),
        client: (options) => openOnce(flags, options),
        lockfile: () => openLock(flags),
      },
      { place, args },
      {
        get input() {
          return process.stdin
        },
        get output() {
          return process.stderr
        },
        interrupt,
        mayAsk: !process.argv.includes('--json') && process.stderr.isTTY && process.stdin.isTTY,
      },
    )
  },
})
const opened = await client?.catch(() => undefined)
await opened?.close()
// Aborted work may still hold a handle open.
if (stop.signal.aborted) process.exit()

/** Reports whether no agent makes this program write; the gateway writes only what a person answered. */
async function isOurs(): Promise<boolean> {
  if (isServing) return true
  const { openPerson } = await import('./machine/person/person.ts')
  const noAgent = openPerson(ops).refuseAgents({ what: 'note it' })
  return noAgent.then(
    () => true,
    () => false,
  )
}

/**
 * Adds the proof that a person decides about a change at the registry. The proof is determined here, never taken from
 * arguments.
 */
async function withProof(name: string, args: unknown): Promise<unknown> {
  if (name !== 'registry_approve_change' && name !== 'registry_reject_change') return args
  const { openPerson } = await import('./machine/person/person.ts')
  const proof = await openPerson(ops).findKind()
  const { proof: _claimed, ...rest } = args as Record<string, unknown>
  return { ...rest, ...(proof !== undefined && { proof }) }
}

/** The second Ctrl-C ends the process immediately. */
function interrupt(): void {
  const end = isServing ? leave : stop
  if (end.signal.aborted) process.exit(INTERRUPTED)
  end.abort()
}

function openOnce(flags: GlobalFlags, options: { mode?: ServersMode } = {}): Promise<Client> {
  client ??= import('./calls/open-client.ts').then(({ openClient }) =>
    openClient(ops, { ...optionsIn(flags), ...options }),
  )
  return client
}

async function openLock(flags: GlobalFlags): Promise<Workspace> {
  const { openWorkspace } = await import('./workspace/open-workspace.ts')
  return openWorkspace(ops, optionsIn(flags))
}

function optionsIn(flags: GlobalFlags): ClientOptions {
  return {
    workspace: workspaceIn(flags),
    frozen: flags.has('frozen') || (flags.has('no-frozen') ? false : undefined),
    offline: flags.has('offline'),
    insecureHttp: flags.has(INSECURE_HTTP),
  }
}

function workspaceIn(flags: GlobalFlags): string | undefined {
  const folder = flags.get('workspace')
  return typeof folder === 'string' ? resolve(folder) : undefined
}

function versionOf(manifest: URL): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** https://no-color.org and https://force-color.org: set and not empty. */
function wantsColor(): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return true
  return output.isTerminal && process.stderr.isTTY && env['TERM'] !== 'dumb'
}
