import { lineOf, TIMEOUT_SECONDS, type HookSettings } from '../../description/hook-settings.ts'
import type { AskedTrust, TrustVerdict } from '../../description/trust.ts'
import { isJsonObject, type JsonObject } from '../../event.ts'

export const settings: HookSettings = {
  files: { project: ['.codex', 'hooks.json'], user: ['hooks.json'] },
  gates: ['PreToolUse'],
  after: ['PostToolUse'],
  wanted: (line, { isWindows }) => {
    const hook = { type: 'command', command: lineOf(line, isWindows), timeout: TIMEOUT_SECONDS }
    return {
      root: {},
      entries: new Map<string, JsonObject>([
        ['PreToolUse', { matcher: '*', hooks: [hook] }],
        ['PostToolUse', { matcher: '*', hooks: [hook] }],
        ['SessionStart', { hooks: [hook] }],
      ]),
    }
  },
  notes: ['Codex skips a hook that is new or changed until it is trusted: start codex and type /hooks'],
  skipsProject: 'until the project is trusted, too',
}

const cure = 'start codex and type /hooks to trust it'
const SILENT = 'this version of Codex does not say; update it'

/** `codex app-server` lists the hooks that it sees, and whether it runs them. */
export const trust: AskedTrust = {
  kind: 'asked',
  agent: 'Codex',
  program: 'codex',
  args: ['app-server'],
  cure,
  questions: (root) => [
    {
      id: 1,
      method: 'initialize',
      params: { clientInfo: { name: 'pml', version: '1' }, capabilities: { experimentalApi: true } },
    },
    { method: 'initialized' },
    { id: 2, method: 'hooks/list', params: { cwds: [root] } },
  ],
  readAnswer: (line) => {
    try {
      const { id, result, error } = JSON.parse(line) as JsonObject
      if (id !== 2) return undefined
      if (error !== undefined || !isJsonObject(result)) return SILENT
      const [first] = Array.isArray(result['data']) ? result['data'] : []
      const hooks = isJsonObject(first) ? first['hooks'] : undefined
      return Array.isArray(hooks) ? hooks.filter(isJsonObject) : SILENT
    } catch {
      return undefined
    }
  },
  judge: (ours, place) => {
    const find = (event: string) => ours.find(({ eventName }) => eventName === event)
    const before = judgeHook(find('preToolUse'), place)
    // Each hook is trusted on its own. The settings show whether there is one after calls.
    return before.level === 'ok' ? judgeHook(find('postToolUse') ?? find('preToolUse'), place) : before
  },
}

function judgeHook(
  hook: JsonObject | undefined,
  { root, file }: { root: string; file: string },
): TrustVerdict {
  const error = (message: string): TrustVerdict => ({ level: 'error', message })
  if (!hook)
    return error(
      `Codex does not load ${file}: start codex in ${root} and trust the project, or install with --scope user`,
    )
  const { trustStatus, enabled } = hook
  if (enabled === false) return error(`The hook in ${file} is switched off: start codex and type /hooks`)
  if (trustStatus === 'trusted' || trustStatus === 'managed')
    return { level: 'ok', message: `Codex runs it (${trustStatus})` }
  if (trustStatus === 'modified')
    return error(`Codex skips the hook in ${file}, which has changed since it was trusted: ${cure}`)
  if (trustStatus === 'untrusted')
    return error(`Codex skips the hook in ${file}, which is not trusted: ${cure}`)
  return {
    level: 'unknown',
    message: `Codex says "${String(trustStatus)}" about the hook in ${file}; ${cure}`,
  }
}
