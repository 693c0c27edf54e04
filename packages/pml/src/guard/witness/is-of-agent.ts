import { basename, dirname } from 'node:path'
import { isJsonObject } from '@pml/hooks'
import type { Change } from './find-changes.ts'
import type { Held, KeptFiles } from './kept-files.ts'
import type { OpenCall } from './sessions.ts'

/**
 * Claude Code notes in its own settings what a person answers "yes, and don't ask again" to, while the call waits for that
 * answer. Only that is meant: rules for the very calls that are open, added to a list that is otherwise the same.
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
    // A tool of a server is named as a whole; a command by how it begins, and by more than its first letters.
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
