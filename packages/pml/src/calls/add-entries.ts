import { decide, isWanted, toolNameOf, withoutRule, withRule, type Fqdn, type Name } from '@pml/core'
import type { Approval, Operation } from '../api/approval.ts'
import type { CallLimits, CallParts } from './call-parts.ts'
import { findUnready } from './find-unready.ts'
import { agree } from '../workspace/consent.ts'
import { installPinned } from './pinned-tree.ts'
import { parseStdioDocument } from '../workspace/documents.ts'
import type { Fetched } from '../api/pml.ts'
import { fetchEntry, type ApprovedChange } from '../registry/fetch-entry.ts'
import { resolveReference } from '../registry/resolve-reference.ts'
import { inParallel } from '../machine/in-parallel.ts'
import type { Proof } from '../machine/person/proof.ts'
import { changeConfig } from '../workspace/change-config.ts'
import { forgetEntry } from './remove-entry.ts'

interface AddOptions {
  /** Of the person who adds it; absent where an answer with a proof of its own came before. */
  readonly proof?: Proof
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
  /** What it needs and this machine does not have. */
  readonly warnings: readonly string[]
}

interface AddedAll {
  readonly added: readonly Added[]
  readonly approvals: readonly Approval[]
}

const MOST_AT_ONCE = 4

/**
 * Several at once. Each is added whole or not at all; a failure does not keep the others from being added, and is thrown
 * when all are done.
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
 * Whoever adds an entry wants it: it is fetched, locked, allowed, and if it is a pinned server, installed. A change of
 * what was locked already is still asked about.
 */
export async function addEntry(
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
    // What could not be added is neither locked nor agreed to nor allowed.
    if (fetched?.approvalRequired === false && fetched.lock === 'added')
      await forgetEntry(parts, reference.name)
    if (isNew) await changeConfig(parts, (config) => withoutRule(config, rule))
    throw error
  }
}

/** First the rule, so that the lock entry is wanted from its beginning. */
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
    parts.tell(`${fetched.name} is not pinned: its command is shown and asked about before it is first run`)
    return undefined
  }
  await agree(parts, fetched.name, { wanted: { kind: 'pinned', ...pin }, proof })
  const { digest } = await installPinned(parts, { fetched, limits }, pin)
  return `${pin.package} ${pin.version} ${digest}`
}
