import { createPrivateKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PmlError } from '@pml/core'
import {
  checkpointText,
  createLogSigner,
  isLogOrigin,
  isSignedBy,
  parseLogKey,
  successionText,
  type AuditCheckpoint,
  type LogKeyStep,
  type LogSigner,
} from '@pml/core/audit'
import type { AuditKeyAnswer } from '@pml/core/schemas'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Database, Orm, Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { auditSignature, logKey } from '../db/schema.ts'
import { system } from '../keys/actor.ts'
import { readCheckpoint } from './read-head.ts'

type Reading = Pick<Orm, 'select'>

/** An arbitrary unique constant: replicas that start together create one key. */
const ADVISORY_LOCK = 7_011_220_529
const LONGEST_FILE_BYTES = 4096

/**
 * Opens the key that signs the log; creates it on the first start. To rotate the key, the operator moves its file to
 * `<file>.old`: the next start creates a new key and signs it with the old one.
 */
export async function openLogKey(
  db: Database,
  { file, publicUrl }: { file: string; publicUrl: string | undefined },
): Promise<LogSigner> {
  return db.orm.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`)
    const steps = await readLogKeys(tx)
    const [current] = steps.slice(-1)
    const found = await readKeyFile(file)
    if (!current)
      return addFirst(tx, createLogSigner(originFrom(publicUrl), found ?? (await makeKeyFile(file))))
    const { origin } = parseLogKey(current.key)
    const signer = found && createLogSigner(origin, found)
    if (signer?.key === current.key) return signer
    const oldKey = await readKeyFile(`${file}.old`)
    const old = oldKey && createLogSigner(origin, oldKey)
    if (old?.key !== current.key) throw wrongKey(file, { expected: current.key, found: signer?.key })
    return replace(tx, old, signer ?? createLogSigner(origin, await makeKeyFile(file)))
  })
}

/** Returns the keys of the log, the oldest first. */
export function readLogKeys(orm: Reading): Promise<LogKeyStep[]> {
  const { key, signature, id } = logKey
  return orm.select({ key, signature }).from(logKey).orderBy(asc(id))
}

/** Returns the public key that verifies the registry's signatures; needs no scope. */
export async function showLogKey({ orm }: Pick<Database, 'orm'>, signer: LogSigner): Promise<AuditKeyAnswer> {
  const keys = await requireCurrentKey(orm, signer)
  const { origin, key } = signer
  const pem = parseLogKey(key).publicKey.export({ format: 'pem', type: 'spki' })
  return { origin, key, pem: String(pem), keys }
}

/** Throws if another server replaced the key since this one started. */
export async function requireCurrentKey(orm: Reading, { key }: LogSigner): Promise<LogKeyStep[]> {
  const steps = await readLogKeys(orm)
  if (steps.at(-1)?.key === key) return steps
  throw new PmlError('unavailable', 'Cannot sign the audit log: its key was replaced; restart this server')
}

export async function signCheckpoint(
  tx: Transaction,
  { origin, key, sign }: LogSigner,
  checkpoint: AuditCheckpoint,
): Promise<void> {
  const id = tx.select({ id: logKey.id }).from(logKey).where(eq(logKey.key, key))
  const { seq } = checkpoint
  const signature = sign(checkpointText(origin, checkpoint))
  await tx.insert(auditSignature).values({ seq, keyId: sql`(${id})`, signature })
}

/** Returns the checkpoint with its signature by this key, if there is one. */
export async function readSignedCheckpoint(
  orm: Reading,
  { key }: Pick<LogSigner, 'key'>,
): Promise<AuditCheckpoint | null> {
  const checkpoint = await readCheckpoint(orm)
  if (!checkpoint) return null
  const [row] = await orm
    .select({ signature: auditSignature.signature })
    .from(auditSignature)
    .innerJoin(logKey, eq(logKey.id, auditSignature.keyId))
    .where(and(eq(auditSignature.seq, checkpoint.seq), eq(logKey.key, key)))
  return { ...checkpoint, signature: row?.signature ?? null }
}

async function addFirst(tx: Transaction, signer: LogSigner): Promise<LogSigner> {
  await add(tx, { key: signer.key, signature: null }, null)
  return signer
}

async function replace(tx: Transaction, old: LogSigner, next: LogSigner): Promise<LogSigner> {
  const { origin, key } = next
  const signature = old.sign(successionText(origin, { from: old.key, to: key }))
  const checkpoint = await readSignedCheckpoint(tx, old)
  await add(tx, { key, signature }, old.key)
  // The new key signs the checkpoint only if the old one did.
  const isSound =
    checkpoint?.signature &&
    isSignedBy(parseLogKey(old.key), checkpointText(origin, checkpoint), checkpoint.signature)
  if (isSound) await signCheckpoint(tx, next, checkpoint)
  return next
}

async function add(tx: Transaction, step: LogKeyStep, previous: string | null): Promise<void> {
  await tx.insert(logKey).values(step)
  await recordEvent(tx, system, { action: 'audit.key', subject: 'audit', detail: { previous, ...step } })
}

/** Returns the permanent name of the log: the public URL without its scheme, or a random name. */
function originFrom(publicUrl: string | undefined): string {
  const address = publicUrl?.replace(/^https?:\/\//, '').replace(/\/+$/, '') ?? ''
  return isLogOrigin(address) ? address : `pml-registry/${randomBytes(8).toString('hex')}`
}

async function readKeyFile(file: string): Promise<KeyObject | undefined> {
  const info = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw badFile(file, error.message)
  })
  if (!info) return undefined
  if (!info.isFile() || info.size > LONGEST_FILE_BYTES) throw badFile(file, 'expected an Ed25519 key in PEM')
  try {
    const key = createPrivateKey(await readFile(file, 'utf8'))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (error) {
    // The parser's message could quote the key.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw badFile(file, 'permission denied')
  }
  throw badFile(file, 'expected an Ed25519 key in PEM')
}

async function makeKeyFile(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const fresh = `${file}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await mkdir(dirname(file), { recursive: true })
    const opened = await open(fresh, 'wx', 0o600)
    await opened.writeFile(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    await opened.sync()
    await opened.close()
    await rename(fresh, file)
  } catch (error) {
    throw badFile(file, (error as Error).message)
  }
  return privateKey
}

function badFile(file: string, reason: string): PmlError {
  return new PmlError('invalid_config', `Cannot use the log key ${file}: ${reason}; see PML_LOG_KEY_FILE`)
}

function wrongKey(
  file: string,
  { expected, found }: { expected: string; found: string | undefined },
): PmlError {
  const what = found === undefined ? 'the file is missing' : `the file holds ${found}`
  return new PmlError(
    'invalid_config',
    `Cannot start: the audit log is signed with ${expected}, but ${what}. Copy the file log-key of the server ` +
      `that created it to ${file}, or set PML_LOG_KEY_FILE to its path`,
  )
}
