import { decide, isWanted, toolNameOf, withoutRule, withRule, type Fqdn, type Name } from '@pml/core'
import type { Approval, Operation } from '../approvals/approval.ts'
import type { CallLimits, CallParts } from '../calling/call-parts.ts'
import { agree, installPinned } from '../calling/pinned-tree.ts'
import { parseStdioDocument } from '../fetching/documents.ts'
import type { Fetched } from '../api.ts'
import { fetchEntry, type ApprovedChange } from '../fetching/fetch-entry.ts'
import { resolveReference } from '../fetching/resolve-reference.ts'
import { changeConfig } from '../workspace/change-config.ts'
import { forgetEntry } from './remove-entry.ts'

export interface AddOptions {
  /** Ask before each use, instead of allowing it. */
  readonly isAsked: boolean
  readonly limits: CallLimits
  /** What is taken up again when a person has answered; without it only the fetching. */
  readonly operation?: Operation
  readonly approved?: ApprovedChange | undefined
}

export interface Added {
  readonly fqdn: Fqdn
  readonly type: string
  readonly rule: string
  readonly installed?: string
}

/**
 * Whoever adds an entry wants it: it is fetched, locked, allowed, and if it is a pinned server, installed. A change of
 * what was locked already is still asked about.
 */
export async function addEntry(
  parts: CallParts,
  text: string,
  { isAsked, limits, operation = { kind: 'fetch', reference: text }, approved }: AddOptions,
): Promise<Added | Approval> {
  const reference = await resolveReference(parts, text)
  const { rule, isNew } = await allow(parts, reference.name, isAsked)
  let fetched: Fetched | Approval | undefined
  try {
    fetched = await fetchEntry(parts, reference, { operation, approved })
    if (fetched.approvalRequired) return fetched
    const installed = fetched.type === 'stdio' ? await install(parts, fetched, limits) : undefined
    return { fqdn: fetched.fqdn, type: fetched.type, rule, ...(installed !== undefined && { installed }) }
  } catch (error) {
    // What could not be added is neither locked nor agreed to nor allowed.
    if (fetched?.approvalRequired === false && fetched.lock === 'added')
      await forgetEntry(parts, reference.name)
    if (isNew) await changeConfig(parts.files, (config) => withoutRule(config, rule))
    throw error
  }
}

/** First the rule, so that the lock entry is wanted from its beginning. */
async function allow(
  { config, files, isFrozen }: CallParts,
  name: Name,
  isAsked: boolean,
): Promise<{ rule: string; isNew: boolean }> {
  const tool = toolNameOf(name)
  const { permissions } = await config.read()
  const isThere = isAsked ? isWanted(permissions, tool) : decide(permissions, tool) !== 'ask'
  const isNew = !isThere && !isFrozen
  if (isNew) await changeConfig(files, (text) => withRule(text, isAsked ? 'ask' : 'allow', tool))
  return { rule: tool, isNew }
}

async function install(parts: CallParts, fetched: Fetched, limits: CallLimits): Promise<string | undefined> {
  const { pin } = parseStdioDocument(fetched)
  if (!pin) {
    parts.tell(`${fetched.name} is not pinned: its command is shown and asked about before it is first run`)
    return undefined
  }
  await agree(parts, fetched.name, { kind: 'pinned', ...pin })
  const { digest } = await installPinned(parts, { fetched, limits }, pin)
  return `${pin.package} ${pin.version} ${digest}`
}
