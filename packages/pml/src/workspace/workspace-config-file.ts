import {
  emptyWorkspaceConfig,
  findUnagreed,
  parseWorkspaceConfig,
  PmlError,
  trustPartsOf,
  withoutGiven,
  type TrustParts,
  type WorkspaceConfig,
  decide,
  toolNameOf,
  type Name,
  type ToolName,
  type Verdict,
} from '@pml/core'
import { findStampNow, readPlainFile, type Stamp } from '../machine/files/read-plain-file.ts'
import type { WorkspaceTrust } from './workspace-trust.ts'

const LIMIT_BYTES = 1024 * 1024

export interface WorkspaceConfigFile {
  /**
   * The current `.pml.json`, without the parts that the person has not agreed to. Empty if there is no file; throws if it
   * cannot be parsed.
   */
  read(): Promise<WorkspaceConfig>
  readTrust(): Promise<TrustState>
}

interface Configured {
  readonly config: WorkspaceConfigFile
}

export interface TrustState {
  /** All permissions in the file. */
  readonly parts: TrustParts
  /** Permissions that nobody has agreed to. */
  readonly unagreed: readonly string[]
  /** Whether the person agreed to an earlier version. */
  readonly isChanged: boolean
  readonly isGivenByOperator: boolean
}

interface Known {
  readonly stamp: Stamp
  readonly trustStamp: Stamp
  readonly config: WorkspaceConfig
  readonly trust: TrustState
}

/** Reads the files again only if one of them has changed. */
export function openWorkspaceConfig(path: string, trust: WorkspaceTrust): WorkspaceConfigFile {
  let known: Known | undefined
  async function load(): Promise<Known> {
    if (known?.stamp === findStampNow(path) && known.trustStamp === trust.findStamp()) return known
    const file = await readPlainFile(path, LIMIT_BYTES)
    const written = file ? parseWorkspaceConfig(file.bytes.toString('utf8'), path) : emptyWorkspaceConfig
    const { agreed, stamp: trustStamp } = await trust.read()
    const { isGivenByOperator } = trust
    const parts = trustPartsOf(written)
    const unagreed = findUnagreed(parts, agreed)
    const isTrusted = isGivenByOperator || unagreed.length === 0
    known = {
      stamp: file?.stamp ?? '',
      trustStamp,
      config: isTrusted ? written : withoutGiven(written),
      trust: { parts, unagreed, isChanged: agreed.gives.length > 0, isGivenByOperator },
    }
    return known
  }
  return {
    read: async () => (await load()).config,
    readTrust: async () => (await load()).trust,
  }
}

/** Throws `not_trusted` until the person has agreed to the permissions in `.pml.json`. */
export async function requireTrusted({ config }: Configured): Promise<void> {
  const trust = await config.readTrust()
  if (trust.isGivenByOperator || trust.unagreed.length === 0) return
  throw new PmlError('not_trusted', `Cannot run anything here: ${explainUntrusted(trust)}`)
}

export function explainUntrusted({ unagreed, isChanged }: TrustState): string {
  const what = `${unagreed.length} ${unagreed.length === 1 ? 'part' : 'parts'}`
  const why = isChanged
    ? `.pml.json has ${what} that you have not agreed to since it changed`
    : `you have not agreed to the permissions in .pml.json of this workspace (${what})`
  return `${why}; review and agree with "pml trust"`
}

/** Throws `tool_denied` for an entry that a deny rule covers, however old the rule is. */
export async function requireNotDenied(parts: Configured, name: Name): Promise<void> {
  await decideUse(parts, toolNameOf(name))
}

/** The verdict of `.pml.json` on a tool. Throws `tool_denied` for a denied one. */
export async function decideUse({ config }: Configured, tool: ToolName): Promise<Exclude<Verdict, 'deny'>> {
  const { permissions } = await config.read()
  const verdict = decide(permissions, tool)
  if (verdict !== 'deny') return verdict
  throw new PmlError(
    'tool_denied',
    `Cannot use ${tool}: a deny rule in .pml.json covers it; remove the rule to allow it`,
    { tool },
  )
}
