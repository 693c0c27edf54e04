import { createReadStream, readFileSync } from 'node:fs'
import { runCli } from '@pml/tools/cli'
import { createCommandFiles } from './command-files.ts'
import { createProgram, INSECURE_HTTP } from './program.ts'
import { readBounded } from './read-bounded.ts'

const { stdout, env } = process
const stop = new AbortController()

// The second Ctrl-C finds nobody listening and ends the process at once.
process.once('SIGINT', () => stop.abort())
// A reader that has seen enough, such as head, is no failure.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))

const version = versionOf(new URL('../package.json', import.meta.url))
const tell = (text: string) => void process.stderr.write(text)

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  program: createProgram(version, [
    {
      word: 'serve',
      about: 'Offer the tools to an agent over stdin and stdout, by MCP.',
      run: async (flags) => {
        const [{ parseSettings }, { serve }] = await Promise.all([
          import('./settings.ts'),
          import('./serve.ts'),
        ])
        const { stdin: input, stdout: output } = process
        return serve({
          isInsecureAllowed: flags.has(INSECURE_HTTP),
          settings: parseSettings(env),
          version,
          input,
          output,
          signal: stop.signal,
          tell,
        })
      },
    },
  ]),
  commands: createCommandFiles(new URL('commands/', import.meta.url)),
  signal: stop.signal,
  io: {
    print: (text) => void stdout.write(text),
    tell,
    width: stdout.isTTY ? stdout.columns : undefined,
    hasColor: wantsColor(),
    read: (path, limitBytes) =>
      readBounded(path === '-' ? process.stdin : createReadStream(path), limitBytes),
  },
  call: async ({ name, args, signal }, flags) => {
    const [{ parseSettings }, { callRemoteTool }] = await Promise.all([
      import('./settings.ts'),
      import('./remote-tools.ts'),
    ])
    const isInsecureAllowed = flags.has(INSECURE_HTTP)
    return callRemoteTool(parseSettings(env), { name, args, signal, isInsecureAllowed })
  },
})
// What was given up may still hold a handle open.
if (stop.signal.aborted) process.exit()

function versionOf(manifest: URL): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** https://no-color.org and https://force-color.org: set and not empty. */
function wantsColor(): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return true
  return stdout.isTTY && process.stderr.isTTY && env.TERM !== 'dumb'
}
