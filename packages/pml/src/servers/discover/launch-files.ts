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

/** Files of the project that a launch names, by their path from its root: what is in them is agreed to as well. */
export type LaunchFiles = Readonly<Record<string, Integrity>>

interface Place extends Pick<Parts, 'files'> {
  readonly ops: Ops
}

const LONGEST_BYTES = 512 * 1024 * 1024
/** Longer texts are compared by their digest alone. */
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

/** Keeps what a person is about to see, so that the next change of it can be shown. */
export async function keepLaunchFiles(
  { cache, files: { root } }: Pick<Parts, 'cache' | 'files'>,
  found: LaunchFiles,
): Promise<void> {
  for (const [name, integrity] of Object.entries(found)) {
    const bytes = findBytes(`${root}/${name}`)
    if (bytes && integrityOf(bytes) === integrity) await cache.put(integrity, bytes)
  }
}

/** What has changed in the files since they were agreed to, for a person. */
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
    else if (now === undefined) parts.push(`${shown} is not run any more\n`)
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
    return `${name} has changed; it is too long or no text, or what it was is not kept any more\n`
  const lines = linesOfCode(describeCode(before, after))
  return `${name} has changed:\n${lines.map((line) => `${line}\n`).join('')}`
}

function textOf(bytes: Uint8Array | undefined): string {
  return (bytes && findText(bytes)) ?? ''
}

/** As it is started; where variables are missing it cannot be, and what is written is looked at. */
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

/** Of the variables that the launch sets, those that say what programs load. */
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

/** Hashed again only when it has changed. */
async function hashFile(path: string): Promise<Integrity> {
  // A pipe in its place would wait for somebody to write.
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

/** Undefined for what is not there, or too long to be shown. */
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
