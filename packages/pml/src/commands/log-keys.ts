import { dirname, join } from 'node:path'
import { IntegrityError, PmlError } from '@pml/core'
import {
  followLogKey,
  headText,
  isSignedBy,
  parseLogKey,
  type AuditHead,
  type LogKeyStep,
} from '@pml/core/audit'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { writeAtomically } from '../machine/files/write-atomically.ts'
import { holdLock } from '../machine/hold-lock.ts'
import { stateHomeOf, type Ops } from '../machine/ops.ts'
import { readAnswer } from '../registry/parse-answer.ts'
import { callRemoteTool, type RemoteCall, type RemoteRegistry } from '../registry/remote-tools.ts'
import { requireFolder } from '../workspace/workspace-files.ts'

const LIMIT_BYTES = 1024 * 1024
const MOST_KEYS = 100

/** The log keys of the registries this person has used; a key is pinned on first use. */
interface LogKeys {
  readonly file: string
  /** Keys by the URL of their registry. */
  read(): Promise<ReadonlyMap<string, string>>
  /** Throws if another key is pinned, unless that key signed the new one. */
  pin(registry: URL, steps: readonly LogKeyStep[]): Promise<void>
}

export function openLogKeys({ env, platform, tell }: Pick<Ops, 'env' | 'platform' | 'tell'>): LogKeys {
  const file = join(stateHomeOf(env, platform), 'log-keys.json')
  const read = async () => {
    const found = await readPlainFile(file, LIMIT_BYTES)
    return found ? parseKeys(found.bytes.toString('utf8'), file) : new Map<string, string>()
  }

  async function remember(registry: URL, key: string): Promise<void> {
    await requireFolder(dirname(file), 0o700)
    await holdLock(file, async (requireHeld) => {
      const keys = Object.fromEntries([...(await read()), [registry.href, key]].toSorted())
      const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`
      await writeAtomically(file, text, { mode: 0o600, requireHeld })
    })
    tell(`The audit log of ${registry.href} is signed with ${key}; kept in ${file}`)
  }

  return {
    file,
    read,
    pin: async (registry, steps) => {
      const current = steps.at(-1)?.key
      if (current === undefined) return
      const pinned = (await read()).get(registry.href)
      if (pinned === current) return
      if (pinned !== undefined && followLogKey(steps, pinned) !== current)
        throw changed(registry, { pinned, current, file })
      await remember(registry, parseLogKey(current).text)
    },
  }
}

/** Calls audit_head or audit_verify, and verifies the registry's signature with the pinned key. */
export async function callSigned(
  remote: RemoteRegistry,
  logKeys: LogKeys,
  { name, args, signal }: RemoteCall,
): Promise<Record<string, unknown>> {
  const request = args as { key?: string }
  const pinned = request.key ?? (await logKeys.read()).get(remote.url.href)
  const isVerify = name === 'audit_verify'
  const sent = isVerify && pinned !== undefined ? { ...request, key: pinned } : args
  const output = await callRemoteTool(remote, { name, args: sent, signal })
  const { key, signature } = output as { key: unknown; signature: unknown }
  if (typeof key !== 'string') throw unsigned(remote.url)
  const steps = await readSteps(remote, { key, pinned, signal })
  if (request.key === undefined) await logKeys.pin(remote.url, steps)
  else if (followLogKey(steps, request.key) !== key)
    throw changed(remote.url, { pinned: request.key, current: key, file: undefined })
  const head = (isVerify ? output['head'] : output) as AuditHead
  const mayBeUnsigned = isVerify && output['ok'] === false
  const log = parseLogKey(key)
  const isSound =
    typeof signature === 'string' ? isSignedBy(log, headText(log.origin, head), signature) : mayBeUnsigned
  if (!isSound) throw unsigned(remote.url)
  return output
}

/** Reads how the key follows from the pinned one; an unchanged key needs no steps. */
async function readSteps(
  { http, url }: RemoteRegistry,
  { key, pinned, signal }: { key: string; pinned: string | undefined; signal: AbortSignal },
): Promise<readonly LogKeyStep[]> {
  if (pinned === undefined || pinned === key) return [{ key, signature: null }]
  const { keys } = await readAnswer(http, url, { path: 'audit/key', signal })
  const steps = Array.isArray(keys) && keys.length <= MOST_KEYS ? (keys as LogKeyStep[]) : []
  return steps.at(-1)?.key === key ? steps : [{ key, signature: null }]
}

function parseKeys(text: string, file: string): Map<string, string> {
  try {
    const { version, keys } = JSON.parse(text) as { version?: unknown; keys?: Record<string, unknown> }
    const entries = Object.entries(keys ?? {})
    if (version === 1 && entries.every(([, key]) => typeof key === 'string'))
      return new Map(entries as [string, string][])
  } catch {
    // The error below covers it.
  }
  throw new PmlError(
    'invalid_config',
    `Cannot read ${file}: expected the log keys of registries; restore it, or remove it to pin them again`,
  )
}

function changed(
  registry: URL,
  { pinned, current, file }: { pinned: string; current: string; file: string | undefined },
): IntegrityError {
  const fix =
    file === undefined
      ? 'give the key it has now as --key if you know that it is right'
      : `remove it from ${file} if you know that the log was restarted`
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot trust the audit log of ${registry.href}: it is signed with ${current}, but the pinned key is ${pinned}; ${fix}`,
    { pinned, current },
  )
}

function unsigned(registry: URL): IntegrityError {
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot trust the audit log of ${registry.href}: the head in its response is not signed with its key`,
  )
}
