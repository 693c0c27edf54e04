import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { integrityOf, isDeciding, PmlError, type Integrity } from '@pml/core'
import {
  dangersOfText,
  describeCode,
  joinDangers,
  linesOfCode,
  printDangers,
  showOnOneLine,
  type Danger,
} from '@pml/core/changes'
import type { LocalLaunch } from '@pml/core/local-servers'
import { isInside } from '../../machine/files/find-links.ts'
import type { Parts } from '../../registry/parts.ts'
import type { Ops } from '../../machine/ops.ts'
import { fileError } from '../../machine/files/file-error.ts'
import { readRegular } from '../../machine/files/read-plain-file.ts'
import { localTarget } from './local-target.ts'
import { findNamedFiles, type CommandLine } from './named-files.ts'

/** Project files that a command names, by their path from the root. The consent covers their content. */
export type LaunchFiles = Readonly<Record<string, Integrity>>

interface Place extends Pick<Parts, 'files'> {
  readonly ops: Ops
}

const LONGEST_BYTES = 512 * 1024 * 1024
/** Longer texts are compared only by their digest. */
const LONGEST_SHOWN_BYTES = 256 * 1024
const LONGEST_DIFF = 60_000
const LONGEST_NAME = 300
const MOST_KNOWN = 2000

export async function findLaunchFiles(
  launch: LocalLaunch,
  { files: { root }, ops }: Place,
): Promise<LaunchFiles> {
  if (launch.kind === 'http') return {}
  const paths = await findNamedFiles(lineOf(launch, { root, env: ops.env }), root)
  const found: [string, Integrity][] = []
  for (const path of paths) found.push([await nameOf(path, root), await hashFile(path)])
  return Object.fromEntries(found)
}

/** Caches the files that a person is about to agree to, so that the next change can be shown. */
export async function keepLaunchFiles(
  { cache, files: { root } }: Pick<Parts, 'cache' | 'files'>,
  found: LaunchFiles,
): Promise<void> {
  for (const [name, integrity] of Object.entries(found)) {
    const bytes = findBytes(`${root}/${name}`)
    if (bytes && integrityOf(bytes) === integrity) await cache.put(integrity, bytes)
  }
}

/** Describes for a person what has changed in the files since the consent. */
export async function describeLaunchFiles(
  { cache, files: { root } }: Pick<Parts, 'cache' | 'files'>,
  before: LaunchFiles,
  after: LaunchFiles,
): Promise<string> {
  const parts: string[] = []
  const dangers: Danger[][] = []
  for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const [old, now] = [before[name], after[name]]
    if (old === now) continue
    const [was, is] = [old && (await cache.find(old)), now && findBytes(`${root}/${name}`)]
    const shown = showOnOneLine(name, LONGEST_NAME)
    dangers.push(dangersOfText(textOf(was), textOf(is)))
    if (old === undefined) parts.push(`${shown} is new\n`)
    else if (now === undefined) parts.push(`${shown} is no longer run\n`)
    else parts.push(describeFile(shown, was, is))
  }
  const top = printDangers(joinDangers(...dangers)).map((line) => `${line}\n`)
  const whole = [...top, ...parts].join('\n')
  return whole.length <= LONGEST_DIFF
    ? whole
    : `${whole.slice(0, LONGEST_DIFF)}\n… and ${whole.length - LONGEST_DIFF} more characters`
}

function describeFile(name: string, old: Uint8Array | undefined, now: Uint8Array | undefined): string {
  const [before, after] = [old && findText(old), now && findText(now)]
  if (before === undefined || after === undefined)
    return `${name} has changed; it is too long, not text, or its old content is no longer cached\n`
  const lines = linesOfCode(describeCode(before, after))
  return `${name} has changed:\n${lines.map((line) => `${line}\n`).join('')}`
}

function textOf(bytes: Uint8Array | undefined): string {
  return (bytes && findText(bytes)) ?? ''
}

/** The command line with its variables filled in, or as written if variables are missing. */
function lineOf(
  launch: Extract<LocalLaunch, { kind: 'stdio' }>,
  { root, env }: { root: string; env: Ops['env'] },
): CommandLine {
  try {
    const target = localTarget(launch, { name: '', root, env })
    if (target.kind === 'stdio')
      return { ...target, cwd: target.cwd ?? root, variables: decidingOf(launch.env, target.env) }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
  }
  return {
    command: launch.command,
    args: launch.args,
    cwd: root,
    variables: decidingOf(launch.env, launch.env),
  }
}

/** The variables of the launch that decide what programs load. */
function decidingOf(
  written: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.keys(written).flatMap((name) => (isDeciding(name) ? [[name, values[name] ?? '']] : [])),
  )
}

async function nameOf(path: string, root: string): Promise<string> {
  const inside = isInside(path, root) ? path : await realpath(path)
  return relative(root, inside).split(sep).join('/')
}

const known = new Map<string, { readonly stamp: string; readonly integrity: Integrity }>()

/** Hashes a file; again only after a change. */
async function hashFile(path: string): Promise<Integrity> {
  // Non-blocking, because opening a pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw fileError('read', path, error)
  })
  try {
    const info = await file.stat({ bigint: true })
    if (!info.isFile() || info.size > LONGEST_BYTES)
      throw new PmlError(
        'too_large',
        `Cannot check ${path}: expected a file of at most ${LONGEST_BYTES} bytes`,
      )
    const stamp = `${info.ino} ${info.size} ${info.mtimeNs} ${info.ctimeNs}`
    const before = known.get(path)
    if (before?.stamp === stamp) return before.integrity
    const hash = createHash('sha256')
    const pieces = file.createReadStream({ autoClose: false, end: LONGEST_BYTES })
    for await (const piece of pieces) hash.update(piece as Buffer)
    const integrity = `sha256-${hash.digest('hex')}` as Integrity
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(path, { stamp, integrity })
    return integrity
  } finally {
    await file.close()
  }
}

/** Undefined if there is no such file or it is too long to be shown. */
function findBytes(path: string): Uint8Array | undefined {
  try {
    return readRegular(path, LONGEST_SHOWN_BYTES).bytes
  } catch {
    return undefined
  }
}

function findText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
