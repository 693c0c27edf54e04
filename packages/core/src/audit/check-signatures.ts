import type { AuditCheckpoint } from './audit-line.ts'
import type { AuditHead } from './audit-row.ts'
import { createFindings, type AuditProblem } from './findings.ts'
import {
  checkpointText,
  headText,
  isSignedBy,
  isSuccessor,
  parseLogKey,
  type LogKey,
  type LogKeyStep,
} from './log-key.ts'
import { PmlError } from '../errors.ts'

export interface SignatureOptions {
  /** The log must be signed with this key, or with one that it names as its successor. */
  readonly key?: string | undefined
  /** Keys that were seen before. One with the origin of the log counts as `key`; a log of none of them proves nothing. */
  readonly knownKeys?: readonly string[] | undefined
  /** Makes missing signatures, and signatures of a key that is not pinned, warnings. */
  readonly allowUnsigned?: boolean | undefined
}

/** Checks who signed a log. Signatures that are there and wrong are always problems. */
interface SignatureCheck {
  begin(keys: readonly LogKeyStep[], checkpoint: AuditCheckpoint | null): void
  end(head: AuditHead, signature: string | null): void
  problems(): AuditProblem[]
  warnings(): AuditProblem[]
  /** The pinned key, or its successor, that signed the head. */
  readonly signedBy: string | null
}

export function createSignatureCheck({
  key,
  knownKeys = [],
  allowUnsigned = false,
}: SignatureOptions): SignatureCheck {
  const problems = createFindings()
  const warnings = createFindings()
  let keys: readonly LogKey[] = []
  /** Undefined where no key is pinned for this log. */
  let trusted: readonly LogKey[] | undefined = key === undefined ? undefined : []
  let signedBy: string | null = null

  function begin(steps: readonly LogKeyStep[], checkpoint: AuditCheckpoint | null): void {
    keys = readChain(steps)
    const pin = key ?? knownKeys.find((known) => originIn(known) === keys.at(-1)?.origin)
    const place = keys.findIndex(({ text }) => text === pin)
    if (pin !== undefined) trusted = place < 0 ? [] : keys.slice(place)
    const [last] = keys.slice(-1)
    if (pin !== undefined && last && place < 0)
      problems.add(null, `the log is signed with the key ${last.text}, but the pinned key is ${pin}`)
    if (checkpoint) checkCheckpoint(checkpoint)
  }

  /** The keys from first to last, as far as each one names the next. */
  function readChain(steps: readonly LogKeyStep[]): LogKey[] {
    let chain: LogKey[] = []
    for (const step of steps) {
      const next = tryParse(step.key)
      if (!next) {
        problems.add(null, `the log key '${step.key.slice(0, 100)}' cannot be read`)
        return []
      }
      const before = chain.at(-1)
      if (before && !isSuccessor(before, next, step.signature)) {
        problems.add(null, `the key ${next.text} is not signed by the key before it, ${before.text}`)
        chain = []
      }
      chain.push(next)
    }
    return chain
  }

  function checkCheckpoint(checkpoint: AuditCheckpoint): void {
    const { seq, signature = null } = checkpoint
    if (signature === null)
      return unproven(seq, 'the checkpoint is not signed: anyone could have cut off what was before it')
    const signer = signerOf((origin) => checkpointText(origin, checkpoint), signature)
    if (!signer) problems.add(seq, 'the checkpoint is not signed with the key of the log')
    else if (!trusted)
      unproven(seq, `the checkpoint is signed with ${signer.text}, which is not pinned: ${pinning}`)
  }

  function end(head: AuditHead, signature: string | null): void {
    if (signature === null) {
      const problem = 'the head is not signed: rows at the end could have been cut off or rewritten'
      if (trusted || keys.length > 0 || knownKeys.length > 0) return unproven(head.seq, problem)
      return warnings.add(head.seq, problem)
    }
    const signer = signerOf((origin) => headText(origin, head), signature)
    if (!signer) return problems.add(head.seq, 'the head is not signed with the key of the log')
    const unknown = `the head is signed with ${signer.text}, which is not pinned: ${pinning}`
    if (trusted) signedBy = signer.text
    else if (knownKeys.length > 0) unproven(head.seq, unknown)
    else warnings.add(head.seq, unknown)
  }

  function signerOf(textFor: (origin: string) => string, signature: string): LogKey | undefined {
    return (trusted ?? keys).find((one) => isSignedBy(one, textFor(one.origin), signature))
  }

  function unproven(seq: number, problem: string): void {
    if (allowUnsigned) warnings.add(seq, problem)
    else problems.add(seq, problem)
  }

  return {
    begin,
    end,
    problems: () => problems.sorted(),
    warnings: () => warnings.sorted(),
    get signedBy() {
      return signedBy
    },
  }
}

const pinning = 'compare it with the key of your registry and give it as --key'

function originIn(key: string): string | undefined {
  return tryParse(key)?.origin
}

function tryParse(text: string): LogKey | undefined {
  try {
    return parseLogKey(text)
  } catch (error) {
    if (error instanceof PmlError) return undefined
    throw error
  }
}
