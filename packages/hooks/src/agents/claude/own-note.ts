import { basename, dirname } from 'node:path'
import type { AgentHooks, SettingsChange } from '../../description/agent.ts'
import { isJsonObject } from '../../event.ts'

/**
 * Claude Code writes to its own settings when a person answers "yes, and don't ask again", while the call waits for that
 * answer. This accepts only such changes: rules for the open calls, added to an otherwise unchanged list.
 */
export const isOwnNote: AgentHooks['isOwnNote'] = ({ path, before, after, open }) => {
  if (basename(path) !== 'settings.local.json' || basename(dirname(path)) !== '.claude') return false
  const [old, now] = [partsOf(before()), partsOf(after())]
  if (!old || !now || old.rest !== now.rest) return false
  const added = now.allow.filter((rule) => !old.allow.includes(rule))
  return old.allow.every((rule) => now.allow.includes(rule)) && added.every((rule) => isForOpen(rule, open))
}

function isForOpen(rule: string, open: SettingsChange['open']): boolean {
  const [, tool, inside] = /^([^()]+)(?:\((.+)\))?$/s.exec(rule) ?? []
  return open.some((call) => {
    if (call.tool !== tool) return false
    // A tool of a server is named completely; a command by its start, and by more than its first letters.
    if (call.command === '') return inside === undefined && tool.startsWith('mcp__')
    const start = inside?.replace(/(?::\*| \*)$/, '')
    return start !== undefined && start.length > 1 && `${call.command} `.startsWith(`${start} `)
  })
}

function partsOf(value: unknown): { allow: string[]; rest: string } | undefined {
  if (!isJsonObject(value)) return undefined
  const { permissions = {}, ...others } = value
  if (!isJsonObject(permissions)) return undefined
  const { allow = [], ...rest } = permissions
  if (!Array.isArray(allow) || !allow.every((rule) => typeof rule === 'string')) return undefined
  return { allow, rest: JSON.stringify([others, Object.keys(rest).length === 0 ? {} : rest]) }
}
