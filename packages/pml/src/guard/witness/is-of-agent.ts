import { basename, dirname } from 'node:path'
import { isJsonObject } from '@pml/hooks'
import type { Change } from './find-changes.ts'
import type { Held, KeptFiles } from './kept-files.ts'
import type { OpenCall } from './sessions.ts'

/**
 * Whether a change is Claude Code's own: it adds a rule to its settings when a person answers "yes, and don't ask again".
 * Only added rules for the currently open calls count, in an otherwise unchanged file.
 */
export function isOfAgent(
  { path, before, after }: Change,
  { open, kept }: { open: readonly OpenCall[]; kept: KeptFiles },
): boolean {
  if (basename(path) !== 'settings.local.json' || basename(dirname(path)) !== '.claude') return false
  const [old, now] = [partsOf(before, kept), partsOf(after, kept)]
  if (!old || !now || old.rest !== now.rest) return false
  const added = now.allow.filter((rule) => !old.allow.includes(rule))
  return old.allow.every((rule) => now.allow.includes(rule)) && added.every((rule) => isForOpen(rule, open))
}

function isForOpen(rule: string, open: readonly OpenCall[]): boolean {
  const [, tool, inside] = /^([^()]+)(?:\((.+)\))?$/s.exec(rule) ?? []
  return open.some((call) => {
    if (call.tool !== tool) return false
    // A rule names an MCP tool exactly, and a command by a prefix of more than one letter.
    if (call.command === '') return inside === undefined && tool.startsWith('mcp__')
    const start = inside?.replace(/(?::\*| \*)$/, '')
    return start !== undefined && start.length > 1 && `${call.command} `.startsWith(`${start} `)
  })
}

function partsOf(held: Held | undefined, kept: KeptFiles): { allow: string[]; rest: string } | undefined {
  const value: unknown = held ? tryJson(kept.read(held)?.toString('utf8') ?? '') : {}
  if (!isJsonObject(value)) return undefined
  const { permissions = {}, ...others } = value
  if (!isJsonObject(permissions)) return undefined
  const { allow = [], ...rest } = permissions
  if (!Array.isArray(allow) || !allow.every((rule) => typeof rule === 'string')) return undefined
  return { allow, rest: JSON.stringify([others, Object.keys(rest).length === 0 ? {} : rest]) }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
