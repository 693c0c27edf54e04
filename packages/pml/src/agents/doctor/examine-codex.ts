import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isJsonObject, type JsonObject } from '@pml/hooks'
import type { Ops } from '../../machine/ops.ts'
import { isOurHook, type Scope } from '../agent-settings.ts'
import type { HookFinding } from './examine-hooks.ts'
import { realPath } from '../real-path.ts'

const TRUST_CURE = 'start codex and type /hooks to trust it'

/** Whether Codex runs the hooks in these files, as it says itself. */
export async function examineCodex(
  ops: Pick<Ops, 'env' | 'platform' | 'kill'>,
  { root, files }: { readonly root: string; readonly files: ReadonlyMap<Scope, string> },
): Promise<HookFinding[]> {
  const listed = await listHooks(ops, root)
  if (typeof listed === 'string') {
    const message = `Nobody knows whether Codex runs the hook: ${listed}; ${TRUST_CURE}`
    return [{ check: 'trust', level: 'unknown', message }]
  }
  const isOurs = isOurHook('codex')
  const findings = [...files].map(([scope, file]): HookFinding => {
    const ours = listed.filter(
      (hook) => isOurs(hook) && realPath(String(hook['sourcePath'])) === realPath(file),
    )
    const find = (event: string) => ours.find(({ eventName }) => eventName === event)
    const before = judge(find('preToolUse'), { root, file })
    // Each hook is trusted by itself. Whether there is one after calls is seen in the settings.
    const after = find('postToolUse') ?? find('preToolUse')
    return { check: `${scope} trust`, ...(before.level === 'ok' ? judge(after, { root, file }) : before) }
  })
  const runs = findings.some(({ level }) => level === 'ok')
  return findings.map((one) => (runs && one.level === 'error' ? { ...one, level: 'warning' } : one))
}

function judge(
  hook: JsonObject | undefined,
  { root, file }: { root: string; file: string },
): Pick<HookFinding, 'level' | 'message'> {
  if (!hook) {
    const message = `Codex does not load ${file}: start codex in ${root} and trust the project, or install with --scope user`
    return { level: 'error', message }
  }
  const { trustStatus, enabled } = hook
  if (enabled === false)
    return { level: 'error', message: `The hook in ${file} is switched off: start codex and type /hooks` }
  if (trustStatus === 'trusted' || trustStatus === 'managed')
    return { level: 'ok', message: `Codex runs it (${trustStatus})` }
  if (trustStatus === 'modified')
    return {
      level: 'error',
      message: `Codex skips the hook in ${file}, which has changed since it was trusted: ${TRUST_CURE}`,
    }
  if (trustStatus === 'untrusted')
    return { level: 'error', message: `Codex skips the hook in ${file}, which is not trusted: ${TRUST_CURE}` }
  return {
    level: 'unknown',
    message: `Codex says "${String(trustStatus)}" about the hook in ${file}; ${TRUST_CURE}`,
  }
}

/** Codex itself may take seconds to start. */
const LIMIT_MS = 30_000
const LONGEST_LINE = 4 * 1024 * 1024

/** The hooks that Codex sees in a folder; a sentence where it does not say. */
function listHooks(
  { env, platform, kill }: Pick<Ops, 'env' | 'platform' | 'kill'>,
  root: string,
): Promise<readonly JsonObject[] | string> {
  const child = spawn('codex', ['app-server'], {
    cwd: root,
    env: { ...env },
    detached: platform !== 'win32',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const send = (message: JsonObject) => child.stdin.write(`${JSON.stringify(message)}\n`)
  child.stdin.on('error', () => undefined)
  let limit: NodeJS.Timeout | undefined
  return new Promise<readonly JsonObject[] | string>((done) => {
    limit = setTimeout(() => done(`"codex app-server" said nothing for ${LIMIT_MS / 1000} s`), LIMIT_MS)
    child.on('error', () => done('codex is not on PATH'))
    child.on('close', () => done('"codex app-server" ended without an answer'))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const hooks = line.length > LONGEST_LINE ? undefined : hooksIn(line)
      if (hooks !== undefined) done(hooks)
    })
    const clientInfo = { name: 'pml', version: '1' }
    send({ id: 1, method: 'initialize', params: { clientInfo, capabilities: { experimentalApi: true } } })
    send({ method: 'initialized' })
    send({ id: 2, method: 'hooks/list', params: { cwds: [root] } })
  }).finally(() => {
    clearTimeout(limit)
    child.removeAllListeners('close')
    child.stdout.destroy()
    child.unref()
    if (child.pid === undefined) return
    try {
      kill(platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  })
}

/** Undefined for a line that is no answer to the second question. */
function hooksIn(line: string): readonly JsonObject[] | string | undefined {
  try {
    const { id, result, error } = JSON.parse(line) as JsonObject
    if (id !== 2) return undefined
    if (error !== undefined || !isJsonObject(result)) return 'this version of Codex does not say; update it'
    const [first] = Array.isArray(result['data']) ? result['data'] : []
    const hooks = isJsonObject(first) ? first['hooks'] : undefined
    return Array.isArray(hooks) ? hooks.filter(isJsonObject) : 'this version of Codex does not say; update it'
  } catch {
    return undefined
  }
}
