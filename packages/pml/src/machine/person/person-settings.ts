import { join } from 'node:path'
import { PmlError } from '@pml/core/errors'
import { readPlainFile } from '../files/read-plain-file.ts'
import { configHomeOf, type Ops } from '../ops.ts'

/** What a person wants an answer to be proven by. */
interface PersonSettings {
  readonly terminal: 'agent-free' | 'any'
  readonly dialog: boolean
}

const LIMIT_BYTES = 64 * 1024
const defaults: PersonSettings = { terminal: 'agent-free', dialog: true }

/** It stands with the person: no repository brings one along. */
function settingsPathOf({ env, platform }: Pick<Ops, 'env' | 'platform'>): string {
  return join(configHomeOf(env, platform), 'settings.json')
}

/** Throws `invalid_config` for a file that cannot be understood: what it was to ask for cannot be known. */
export async function readPersonSettings(ops: Pick<Ops, 'env' | 'platform'>): Promise<PersonSettings> {
  const path = settingsPathOf(ops)
  const file = await readPlainFile(path, LIMIT_BYTES)
  if (!file) return defaults
  const settings = parsePersonSettings(file.bytes.toString('utf8'))
  if (settings) return settings
  const example = '{"proof": {"terminal": "agent-free", "dialog": true}}'
  throw new PmlError(
    'invalid_config',
    `Cannot read ${path}: expected ${example}, each member may be left out`,
  )
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
