import {
  decide,
  isWanted,
  toolNameOf,
  withoutRule,
  withRule,
  type Fqdn,
  type Name,
  PmlError,
  type ToolName,
} from '@pml/core'
import type { Approval, Operation } from '../api/approval.ts'
import type { CallLimits, CallParts } from './call-parts.ts'
import { findUnready } from './find-unready.ts'
import { agree } from '../workspace/consent.ts'
import { installPinned } from './pinned-tree.ts'
import { parseStdioDocument } from '../workspace/documents.ts'
import type { Fetched, Added as AddedInPassing, Opened } from '../api/pml.ts'
import { fetchEntry, type ApprovedChange } from '../registry/fetch-entry.ts'
import { resolveReference } from '../registry/resolve-reference.ts'
import { inParallel } from '../machine/in-parallel.ts'
import type { Proof } from '../machine/person/proof.ts'
import { changeConfig } from '../workspace/change-config.ts'
import { forgetEntry } from './remove-entry.ts'
import { findPermission, type PermissionQuestion } from './call-request.ts'
import { startEntry } from './call-server.ts'
import { requireTrusted } from '../workspace/workspace-config-file.ts'
import { openServer } from './open-server.ts'

interface AddOptions {
  /** The proof of the person who adds it; absent if an answer with its own proof came first. */
  readonly proof?: Proof
  /** Adds an ask rule instead of an allow rule. */
  readonly isAsked: boolean
  readonly limits: CallLimits
  /** The operation to resume after a person's answer; by default only the fetch. */
  readonly operation?: Operation
  readonly approved?: ApprovedChange | undefined
}

export interface Added {
  readonly fqdn: Fqdn
  readonly type: string
  readonly rule: string
  readonly installed?: string
  /** What it needs and this machine lacks. */
  readonly warnings: readonly string[]
}

interface AddedAll {
  readonly added: readonly Added[]
  readonly approvals: readonly Approval[]
}

const MOST_AT_ONCE = 4

/**
 * Adds several entries in parallel, each completely or not at all. A failure does not stop the others and is thrown at the
 * end.
 */
export async function addEntries(
  parts: CallParts,
  texts: readonly string[],
  options: AddOptions,
): Promise<AddedAll> {
  const failures: unknown[] = []
  const wanted = [...new Set(texts)]
  let done = 0
  const outcomes = await inParallel(
    wanted,
    async (text) => {
      const outcome = await addEntry(parts, text, options).catch(
        (error: unknown) => void failures.push(error),
      )
      done++
      if (outcome && 'installed' in outcome) parts.tell(`Installed ${text} (${done} of ${wanted.length})`)
      return outcome
    },
    MOST_AT_ONCE,
  )
  if (failures.length > 0) throw failures[0]
  const found = outcomes.filter((outcome) => outcome !== undefined)
  return {
    added: found.filter((outcome): outcome is Added => !('approvalRequired' in outcome)),
    approvals: found.filter((outcome): outcome is Approval => 'approvalRequired' in outcome),
  }
}

/**
 * Fetches, locks and allows an entry, and installs a pinned server. A change of an entry that is already locked still needs
 * approval.
 */
async function addEntry(
  parts: CallParts,
  text: string,
  { isAsked, limits, operation = { kind: 'fetch', reference: text }, approved, proof }: AddOptions,
): Promise<Added | Approval> {
  const reference = await resolveReference(parts, text)
  const { rule, isNew } = await allow(parts, reference.name, isAsked)
  let fetched: Fetched | Approval | undefined
  try {
    fetched = await fetchEntry(parts, reference, { operation, approved, isAskedAgain: true })
    if (fetched.approvalRequired) return fetched
    const installed = fetched.type === 'stdio' ? await install(parts, fetched, { limits, proof }) : undefined
    const warnings = await findUnready(parts, fetched)
    const { fqdn, type } = fetched
    return { fqdn, type, rule, ...(installed !== undefined && { installed }), warnings }
  } catch (error) {
    // An entry that could not be added is not left locked, agreed to or allowed.
    if (fetched?.approvalRequired === false && fetched.lock === 'added')
      await forgetEntry(parts, reference.name)
    if (isNew) await changeConfig(parts, (config) => withoutRule(config, rule))
    throw error
  }
}

/** Adds the rule first: a lock entry that no rule wants would be removed. */
async function allow(
  parts: CallParts,
  name: Name,
  isAsked: boolean,
): Promise<{ rule: string; isNew: boolean }> {
  const tool = toolNameOf(name)
  const { permissions } = await parts.config.read()
  const isThere = isAsked ? isWanted(permissions, tool) : decide(permissions, tool) !== 'ask'
  const isNew =
    !isThere &&
    !parts.isFrozen &&
    (await changeConfig(parts, (text) => withRule(text, isAsked ? 'ask' : 'allow', tool)))
  return { rule: tool, isNew }
}

async function install(
  parts: CallParts,
  fetched: Fetched,
  { limits, proof }: Pick<AddOptions, 'limits' | 'proof'>,
): Promise<string | undefined> {
  const { pin } = parseStdioDocument(fetched)
  if (!pin) {
    parts.tell(`${fetched.name} is not pinned: you are asked about its command before the first run`)
    return undefined
  }
  await agree(parts, fetched.name, { wanted: { kind: 'pinned', ...pin }, proof })
  const { digest } = await installPinned(parts, { fetched, limits }, pin)
  return `${pin.package} ${pin.version} ${digest}`
}

interface AddRequest {
  readonly reference: string
  readonly limits: CallLimits
  /** The entry that a person has approved. */
  readonly permitted?: Name | undefined
  readonly approved?: ApprovedChange | undefined
}

const ADD = 'pml:add' as ToolName

/**
 * Adds an entry for an agent during a conversation. A person must approve it first; then it is locked and, if it is a
 * server, started once to learn its tools. Each use still needs approval.
 */
export async function addInPassing(
  parts: CallParts,
  { reference: text, limits, permitted, approved }: AddRequest,
): Promise<AddedInPassing | Opened | Approval> {
  await requireTrusted(parts)
  if (await (await parts.servers()).find(text)) return openServer(parts, { server: text, limits })
  const { name } = await resolveReference(parts, text)
  const { permissions } = await parts.config.read()
  const verdict = decide(permissions, ADD)
  const operation: Operation = { kind: 'add', reference: text, permitted }
  if (verdict === 'deny')
    throw new PmlError('tool_denied', `Cannot add ${name}: a deny rule in .pml.json covers ${ADD}`)
  const question: PermissionQuestion = {
    approvalType: 'tool_permission',
    fqdn: name,
    tool: ADD,
    arguments: { reference: text },
    description: `Permission to add ${name} to this workspace: it is locked, and if it is a server, installed and started. Each use still needs approval.`,
  }
  const request = { verdict, permitted, name, operation, question: () => Promise.resolve(question) }
  const permission = await findPermission(parts, request)
  if ('approvalRequired' in permission) return permission
  const added = await addEntry(parts, name, { isAsked: true, limits, operation, approved })
  if ('approvalRequired' in added) return added
  const fetched = await fetchEntry(parts, { name, hash: undefined }, { operation })
  if (fetched.approvalRequired) return fetched
  const started =
    fetched.type === 'deno' ? undefined : await startEntry(parts, { fetched, operation, limits })
  if (started) return started
  const asked = await permission.spend()
  if (asked) return asked
  const { fqdn, type, rule } = added
  return { approvalRequired: false, fqdn, type, rule }
}
