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
  /** Known keys. One with the origin of the log counts as `key`; without one, the signatures prove nothing. */
  readonly knownKeys?: readonly string[] | undefined
  /** Makes missing signatures, and signatures of a key that is not pinned, warnings. */
  readonly allowUnsigned?: boolean | undefined
}

/** Checks who signed a log. Wrong signatures are always problems. */
export interface SignatureCheck {
  begin(keys: readonly LogKeyStep[], checkpoint: AuditCheckpoint | null): void
  end(head: AuditHead, signature: string | null): void
  problems(): AuditProblem[]
  warnings(): AuditProblem[]
  /** The pinned key, or its successor, that signed the head. */
  readonly signedBy: string | null
}

export function createSignatureCheck(options: SignatureOptions): SignatureCheck {
  return new Check(options)
}

class Check implements SignatureCheck {
  readonly #key: string | undefined
  readonly #knownKeys: readonly string[]
  readonly #allowUnsigned: boolean
  readonly #problems = createFindings()
  readonly #warnings = createFindings()
  #keys: readonly LogKey[] = []
  /** Undefined if no key is pinned for this log. */
  #trusted: readonly LogKey[] | undefined
  #signedBy: string | null = null

  constructor({ key, knownKeys = [], allowUnsigned = false }: SignatureOptions) {
    this.#key = key
    this.#knownKeys = knownKeys
    this.#allowUnsigned = allowUnsigned
    this.#trusted = key === undefined ? undefined : []
  }

  problems(): AuditProblem[] {
    return this.#problems.sorted()
  }

  warnings(): AuditProblem[] {
    return this.#warnings.sorted()
  }

  get signedBy(): string | null {
    return this.#signedBy
  }

  begin(steps: readonly LogKeyStep[], checkpoint: AuditCheckpoint | null): void {
    this.#keys = this.#readChain(steps)
    const pin = this.#key ?? this.#knownKeys.find((known) => originIn(known) === this.#keys.at(-1)?.origin)
    const place = this.#keys.findIndex(({ text }) => text === pin)
    if (pin !== undefined) this.#trusted = place < 0 ? [] : this.#keys.slice(place)
    const [last] = this.#keys.slice(-1)
    if (pin !== undefined && last && place < 0)
      this.#problems.add(null, `the log is signed with the key ${last.text}, but the pinned key is ${pin}`)
    if (checkpoint) this.#checkCheckpoint(checkpoint)
  }

  /** The keys from first to last, as long as each one signs the next. */
  #readChain(steps: readonly LogKeyStep[]): LogKey[] {
    let chain: LogKey[] = []
    for (const step of steps) {
      const next = tryParse(step.key)
      if (!next) {
        this.#problems.add(null, `the log key '${step.key.slice(0, 100)}' cannot be read`)
        return []
      }
      const before = chain.at(-1)
      if (before && !isSuccessor(before, next, step.signature)) {
        this.#problems.add(null, `the key ${next.text} is not signed by the key before it, ${before.text}`)
        chain = []
      }
      chain.push(next)
    }
    return chain
  }

  #checkCheckpoint(checkpoint: AuditCheckpoint): void {
    const { seq, signature = null } = checkpoint
    if (signature === null)
      return this.#unproven(seq, 'the checkpoint is not signed: anyone could have cut off what was before it')
    const signer = this.#signerOf((origin) => checkpointText(origin, checkpoint), signature)
    if (!signer) this.#problems.add(seq, 'the checkpoint is not signed with the key of the log')
    else if (!this.#trusted)
      this.#unproven(seq, `the checkpoint is signed with ${signer.text}, which is not pinned: ${pinning}`)
  }

  end(head: AuditHead, signature: string | null): void {
    if (signature === null) {
      const problem = 'the head is not signed: rows at the end could have been cut off or rewritten'
      if (this.#trusted || this.#keys.length > 0 || this.#knownKeys.length > 0)
        return this.#unproven(head.seq, problem)
      return this.#warnings.add(head.seq, problem)
    }
    const signer = this.#signerOf((origin) => headText(origin, head), signature)
    if (!signer) return this.#problems.add(head.seq, 'the head is not signed with the key of the log')
    const unknown = `the head is signed with ${signer.text}, which is not pinned: ${pinning}`
    if (this.#trusted) this.#signedBy = signer.text
    else if (this.#knownKeys.length > 0) this.#unproven(head.seq, unknown)
    else this.#warnings.add(head.seq, unknown)
  }

  #signerOf(textFor: (origin: string) => string, signature: string): LogKey | undefined {
    return (this.#trusted ?? this.#keys).find((one) => isSignedBy(one, textFor(one.origin), signature))
  }

  #unproven(seq: number, problem: string): void {
    if (this.#allowUnsigned) this.#warnings.add(seq, problem)
    else this.#problems.add(seq, problem)
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
