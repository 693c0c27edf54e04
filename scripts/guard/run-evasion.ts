import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Evasion } from './evasion.ts'
import { makeProject, writeFiles } from './project.ts'

/** The outcome of a command that changes a protected file. */
export type Fate =
  /** The hook refused it. */
  | 'caught'
  /** It ran, and the file was restored. */
  | 'undone'
  /** It ran, and the agent may no longer write. */
  | 'held'
  /** It ran and changed the file undetected. */
  | 'unseen'
  /** It ran and changed nothing: it does not work on this machine. */
  | 'without effect'
  /** A required program is missing. */
  | 'not run'

const pml = fileURLToPath(new URL('../../packages/pml/bin/pml.js', import.meta.url))
const COMMAND_MS = 20_000
const BACKGROUND_MS = 4000
const POLL_MS = 50

/** A folder for consecutive projects, each with its own home. */
export interface Range {
  try(evasion: Evasion): Promise<Fate>
  remove(): void
}

export function makeRange(): Range {
  const folder = mkdtempSync(join(tmpdir(), 'pml-guard-'))
  const template = join(folder, 'template')
  mkdirSync(template)
  makeProject(template)
  let count = 0
  return {
    try: async (evasion) => {
      if (!(evasion.needs ?? []).every(isHere)) return 'not run'
      const place = join(folder, String(count++))
      const [project, home] = [join(place, 'project'), join(place, 'home')]
      mkdirSync(home, { recursive: true })
      cpSync(template, project, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
      writeFiles(project, evasion.setup ?? {})
      try {
        return await tryIn(evasion, { project, home })
      } finally {
        rmSync(place, { recursive: true, force: true, maxRetries: 5 })
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

interface Place {
  readonly project: string
  readonly home: string
}

async function tryIn({ command, target }: Evasion, place: Place): Promise<Fate> {
  const file = join(place.project, target)
  const before = stateOf(file)
  const first = await runHook('PreToolUse', command, place)
  if (first.code !== 0) return 'caught'
  await runCommand(command, place)
  if (/&|\b(?:nohup|setsid|at|batch|crontab|coproc|disown)\b/.test(command)) await changed(file, before)
  const isChanged = stateOf(file) !== before
  const after = await runHook('PostToolUse', command, place)
  if (!isChanged) return 'without effect'
  if (stateOf(file) === before && after.stdout.includes('BLOCKED::')) return 'undone'
  if (after.stdout.includes('BLOCKED::')) return 'held'
  const next = await runHook('PreToolUse', 'make', place)
  return next.code === 0 ? 'unseen' : 'held'
}

function stateOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'base64')
  } catch {
    return undefined
  }
}

async function changed(file: string, before: string | undefined): Promise<void> {
  const end = performance.now() + BACKGROUND_MS
  while (stateOf(file) === before && performance.now() < end) await delay(POLL_MS)
}

async function runHook(name: string, command: string, { project, home }: Place) {
  const child = spawn(process.execPath, [pml, 'hook', '--agent', 'claude'], {
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const parts: string[] = []
  child.stdout.setEncoding('utf8').on('data', (part: string) => parts.push(part))
  const event = { session_id: 'guard', cwd: project, permission_mode: 'default', hook_event_name: name }
  const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'toolu_1' }
  child.stdin.end(JSON.stringify({ ...event, ...call, tool_response: {} }))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: parts.join('') }
}

/** In its own process group; processes that it leaves are ended with the project. */
async function runCommand(command: string, { project, home }: Place): Promise<void> {
  const child = spawn('bash', ['-c', command], {
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'dumb' },
    stdio: 'ignore',
    detached: true,
  })
  const timer = setTimeout(() => end(child), COMMAND_MS)
  await once(child, 'exit')
  clearTimeout(timer)
}

function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

function isHere(program: string): boolean {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => statSync(join(folder, program), { throwIfNoEntry: false })?.isFile())
}
