import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reply } from '@pml/hooks'
import type { HookPlace } from '../src/guard/world/hook-place.ts'
import { runHook } from '../src/guard/run-hook.ts'
import { registryLink } from '../src/guard/world/registry-link.ts'

export interface HookedProject {
  readonly root: string
  readonly home: string
  readonly cache: string
  readonly place: HookPlace
  /** Writes a file below the root. */
  write(path: string, content: string): string
  /** Runs the hook in this process, on a call as Claude Code sends it. */
  call(tool: string, input: object, over?: Partial<HookPlace>): Promise<Reply>
  /** Sends the events before and after a call and runs the call between them. Returns the message to the agent. */
  during(command: string, work: () => void, session?: string): Promise<string>
  /** The same through the built command. */
  run(event: string | object, over?: RunOptions): Promise<HookRun>
  event(tool: string, input: object): Record<string, unknown>
}

interface AfterCall {
  readonly hookSpecificOutput: { readonly additionalContext: string }
}

export interface RunOptions {
  readonly agent?: string
  readonly env?: Record<string, string>
  readonly nodeArgs?: readonly string[]
  readonly cwd?: string
}

export interface HookRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const pmlFile = fileURLToPath(new URL('../bin/pml.js', import.meta.url))
export const defaults = fileURLToPath(new URL('../../../config/enforcement.json', import.meta.url))

/** A repository with its own home and cache. */
export function hookedProject(over: Partial<HookPlace> = {}): HookedProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-hook-')))
  const [root, home, cache] = [join(folder, 'project'), join(folder, 'home'), join(folder, 'cache')]
  mkdirSync(join(root, '.git'), { recursive: true })
  mkdirSync(home)
  const place: HookPlace = {
    home,
    env: {},
    managed: join(folder, 'managed'),
    folders: [root],
    defaults,
    installation: ['/opt/pml'],
    kept: [cache],
    execPath: '/opt/node/bin/node',
    cache,
    state: join(folder, 'state'),
    config: join(folder, 'config'),
    link: undefined,
    pid: process.pid,
    now: Date.now,
    ...over,
  }
  const event = (tool: string, input: object) => ({
    session_id: 'session-1',
    transcript_path: '/dev/null',
    cwd: root,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: input,
    tool_use_id: 'toolu_1',
  })
  return {
    root,
    home,
    cache,
    place,
    event,
    write: (path, content) => {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
      return file
    },
    call: (tool, input, changes = {}) =>
      runHook('claude', JSON.stringify(event(tool, input)), { ...place, ...changes }),
    during: async (command, work, session = 'session-1') => {
      const before = { ...event('Bash', { command }), session_id: session }
      const refused = await runHook('claude', JSON.stringify(before), place)
      if (refused.exitCode !== 0) throw new Error(`Cannot begin: ${refused.stderr}`)
      work()
      const after = { ...before, hook_event_name: 'PostToolUse', tool_response: {} }
      const { exitCode, stdout } = await runHook('claude', JSON.stringify(after), place)
      if (exitCode !== 0) throw new Error('expected the answer as JSON')
      return stdout === '' ? '' : (JSON.parse(stdout) as AfterCall).hookSpecificOutput.additionalContext
    },
    run: (given, { agent = 'claude', env = {}, nodeArgs = [], cwd = root } = {}) =>
      runPml([...nodeArgs, pmlFile, 'hook', '--agent', agent], {
        input: typeof given === 'string' ? given : JSON.stringify(given),
        env: { PATH: process.env['PATH'] ?? '', HOME: home, PML_CACHE_DIR: cache, ...env },
        cwd,
      }),
  }
}

export function linkTo(url: string, apiKey: string, timeoutMs = 5000): HookPlace['link'] {
  const registry = new URL(url.endsWith('/') ? url : `${url}/`)
  return registryLink({ url: registry, apiKey, timeoutMs, proxy: undefined })
}

async function runPml(
  argv: readonly string[],
  { input, env, cwd }: { input: string; env: Record<string, string>; cwd: string },
): Promise<HookRun> {
  const child = spawn(process.execPath, argv, { cwd, env })
  const [stdout, stderr]: [string[], string[]] = [[], []]
  child.stdout.setEncoding('utf8').on('data', (part: string) => stdout.push(part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => stderr.push(part))
  // A process that exits before it has read everything is judged by its exit code.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}
