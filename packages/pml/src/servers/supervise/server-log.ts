import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileError } from '../../machine/files/file-error.ts'
import type { ServerStatus } from './server-status.ts'
import type { SupervisedServer } from './supervised-server.ts'

/** The log of a server. Writing never blocks or fails the caller, even if the disk is full. */
export interface ServerLog {
  /** Logs a line of the server's stderr. */
  say(line: string): void
  /** Logs an event of the server. */
  note(event: string): void
  /** Resolves when everything so far is written or has failed. */
  flush(): Promise<void>
}

interface LogOptions {
  readonly file: string
  now(): Date
}

const LIMIT_BYTES = 1024 * 1024
const LONGEST_LINE = 4000
/** More pending output than this is dropped. */
const MOST_PENDING_CHARS = 128 * 1024

export function serverLogFile(stateHome: string, server: string): string {
  return join(stateHome, 'logs', `${server}.log`)
}

export function openServerLog({ file, now }: LogOptions): ServerLog {
  let pending = ''
  let leftOut = 0
  let writing: Promise<void> | undefined

  function add(source: string, text: string): void {
    if (pending.length > MOST_PENDING_CHARS) leftOut++
    else pending += lineOf(now(), { source, text })
    writing ??= writeAll().finally(() => (writing = undefined))
  }

  async function writeAll(): Promise<void> {
    while (pending !== '') {
      if (leftOut > 0)
        pending += lineOf(now(), {
          source: 'pml',
          text: `${leftOut} lines were dropped because they came too fast`,
        })
      const text = pending
      pending = ''
      leftOut = 0
      await append(file, text).catch(() => {})
    }
  }

  return {
    say: (line) => add('stderr', line),
    note: (event) => add('pml', event),
    flush: async () => writing,
  }
}

/** Logs every change of state. Returns a function that stops it. */
export function logStatus(server: SupervisedServer, log: ServerLog): () => void {
  let last = printStanding(server.status)
  return server.onChange(() => {
    const standing = printStanding(server.status)
    if (standing !== last) log.note(standing)
    last = standing
  })
}

function printStanding({ state, reason }: ServerStatus): string {
  return reason === '' ? state : `${state}: ${reason}`
}

/** The last lines, oldest first; none if there is no log yet. */
export async function readServerLog(file: string, { lines }: { lines: number }): Promise<string[]> {
  const texts = await Promise.all([oldOf(file), file].map(readText))
  const all = texts.join('').split('\n')
  return all.slice(0, -1).slice(-lines)
}

function lineOf(time: Date, { source, text }: { source: string; text: string }): string {
  const kept = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text
  return `${time.toISOString()} ${source} ${kept.replaceAll(/[\r\n]+/g, ' ')}\n`
}

/** Appends in one write, because other processes write to the same file. */
async function append(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (size > 0 && size + Buffer.byteLength(text) > LIMIT_BYTES) await rotate(file)
  await appendFile(file, text, { mode: 0o600 })
}

async function rotate(file: string): Promise<void> {
  await rename(file, oldOf(file)).catch((error: NodeJS.ErrnoException) => {
    // Another process has just rotated it.
    if (error.code !== 'ENOENT') throw error
  })
}

function oldOf(file: string): string {
  return `${file}.1`
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw fileError('read', file, error)
  })
}
