import { PmlError } from '@pml/core/errors'
import { type Ops, configHomeOf } from '../ops.ts'
import type { Proof, Unproven } from './proof.ts'
import { join } from 'node:path'
import { readPlainFile } from '../files/read-plain-file.ts'

/** Where an answer comes from. */
export type Given = { readonly by: 'terminal' } | { readonly by: 'dialog'; readonly client: string }

interface Subject {
  /** What cannot be done without a person: "answer 0b7c…". */
  readonly what: string
  /** The command that the person has to run; by default the same one. */
  readonly command?: string
}

/** The person whose answers count. */
export interface Person {
  /** Proves that a person gave an answer. Throws `person_required` if the settings require a proof and there is none. */
  prove(given: Given, subject: Subject): Promise<Proof>
  /** Why answers on this terminal do not count; undefined if they do. */
  findDoubt(): Promise<string | undefined>
  /** How an answer typed here is proven; undefined if it is not. */
  findKind(): Promise<Proof['kind'] | undefined>
  /** Why answers in the dialog of the MCP client do not count; undefined if they do. */
  findDialogDoubt(): Promise<string | undefined>
  /** Throws `person_required` if a coding agent runs this process. For commands that need no terminal. */
  refuseAgents(subject: Subject): Promise<Proof>
}

type World = Pick<Ops, 'env' | 'platform' | 'pid' | 'user'>

export function openPerson(ops: World): Person {
  const settings = once(() => readPersonSettings(ops))
  // Parent processes do not change, so one look is enough.
  const terminal = once(async (): Promise<Proof | Unproven> => {
    if ((await settings()).terminal === 'any') return { kind: 'none' }
    const world = await look(ops)
    return world.isKnown ? world.proofOfPerson() : { kind: 'unproven', reason: world.reason }
  })
  const findDialogDoubt = once(async () => {
    const { dialog, terminal: wanted } = await settings()
    if (!dialog) return 'your settings.json does not accept answers in dialogs'
    if (wanted === 'any') return undefined
    const world = await look(ops)
    return world.isKnown ? world.findClientDoubt() : undefined
  })
  return {
    prove: async (given, subject) => {
      if (given.by === 'dialog') {
        const doubt = await findDialogDoubt()
        if (doubt !== undefined) throw required(subject, doubt)
        return { kind: 'dialog', client: given.client }
      }
      const proof = await terminal()
      if (proof.kind !== 'unproven') return proof
      throw required(subject, `this is not a person's own terminal: ${proof.reason}`)
    },
    findDoubt: async () => {
      const proof = await terminal()
      return proof.kind === 'unproven' ? proof.reason : undefined
    },
    findKind: async () => {
      const { kind } = await terminal()
      return kind === 'unproven' ? undefined : kind
    },
    findDialogDoubt,
    refuseAgents: async (subject) => {
      const proof = await terminal()
      if (proof.kind !== 'unproven') return proof
      const world = await look(ops)
      const agent = world.isKnown ? world.findAgent() : undefined
      if (agent !== undefined) throw required(subject, agent)
      return { kind: 'none' }
    },
  }
}

/** Loaded only when an answer has to be proven. */
async function look({ env, platform, pid, user = -1 }: World) {
  const [{ findAgentAbove, openProcesses, proofOfPerson }, { findClientDoubt }] = await Promise.all([
    import('./prove-person.ts'),
    import('./prove-person.ts'),
  ])
  const processes = openProcesses(platform, user)
  if (!processes)
    return { isKnown: false, reason: `pml cannot find out on ${platform} what started it` } as const
  const proving = { processes, pid, env }
  return {
    isKnown: true,
    proofOfPerson: () => proofOfPerson(proving),
    findAgent: () => findAgentAbove(proving),
    findClientDoubt: () => findClientDoubt(processes, pid),
  } as const
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let found: Promise<Value> | undefined
  return () => (found ??= work())
}

function required({ what, command }: Subject, reason: string): PmlError {
  const words = command === undefined ? 'the same command' : `"${command}"`
  return new PmlError(
    'person_required',
    `Cannot ${what}: ${reason}; open your own terminal, outside any coding agent or editor, and run ${words}`,
    { reason, ...(command !== undefined && { command }) },
  )
}

/** The proof that the person requires for an answer. */
interface PersonSettings {
  readonly terminal: 'agent-free' | 'any'
  readonly dialog: boolean
}

const LIMIT_BYTES = 64 * 1024
const defaults: PersonSettings = { terminal: 'agent-free', dialog: true }

/** The file is in the person's configuration folder, where no repository can put one. */
function settingsPathOf({ env, platform }: Pick<Ops, 'env' | 'platform'>): string {
  return join(configHomeOf(env, platform), 'settings.json')
}

/** Throws `invalid_config` for a file that cannot be understood: it may require more proof. */
async function readPersonSettings(ops: Pick<Ops, 'env' | 'platform'>): Promise<PersonSettings> {
  const path = settingsPathOf(ops)
  const file = await readPlainFile(path, LIMIT_BYTES)
  if (!file) return defaults
  const settings = parsePersonSettings(file.bytes.toString('utf8'))
  if (settings) return settings
  const example = '{"proof": {"terminal": "agent-free", "dialog": true}}'
  throw new PmlError('invalid_config', `Cannot read ${path}: expected ${example}; each member is optional`)
}

function parsePersonSettings(text: string): PersonSettings | undefined {
  const whole = objectIn(parseJson(text), ['$schema', 'proof'])
  const proof = whole && objectIn('proof' in whole ? whole['proof'] : {}, ['terminal', 'dialog'])
  if (!proof) return undefined
  const { terminal = defaults.terminal, dialog = defaults.dialog } = proof
  const isWhole = (terminal === 'agent-free' || terminal === 'any') && typeof dialog === 'boolean'
  return isWhole ? { terminal, dialog } : undefined
}

function objectIn(value: unknown, members: readonly string[]): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.keys(value).every((name) => members.includes(name)) ? { ...value } : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
