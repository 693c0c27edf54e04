import { applyEdits, modify, type JSONPath } from 'jsonc-parser'
import type { JsonValue } from './canonical-json.ts'

const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } }

export type RuleList = 'allow' | 'ask'

/** What a new workspace starts with: everything is asked about. */
export function newWorkspaceConfig(workspace: string, registry: string | undefined): string {
  const cloud = registry === undefined ? {} : { cloud: { url: registry } }
  const permissions = { allow: [], deny: [], ask: ['*'] }
  return `${JSON.stringify({ version: 1, workspace, ...cloud, permissions }, null, 2)}\n`
}

/** The same text with one more rule, in the layout that it has. For a text that `parseWorkspaceConfig` accepts. */
export function withRule(text: string, list: RuleList, pattern: string): string {
  const rules = rulesIn(text, list)
  if (rules?.includes(pattern)) return text
  const open = withOpenEnd(text)
  return set(open, ['permissions', list], [...(rulesIn(open, list) ?? []), pattern])
}

/** The first rule must not be the only one: entries that no rule speaks of lose their place in the lock. */
function withOpenEnd(text: string): string {
  const isOpen = rulesIn(text, 'allow') === undefined && rulesIn(text, 'ask') === undefined
  return isOpen ? set(text, ['permissions', 'ask'], ['*']) : text
}

export function withoutRule(text: string, pattern: string): string {
  let changed = text
  for (const list of ['allow', 'ask'] as const) {
    const rules = rulesIn(changed, list)
    if (rules?.includes(pattern))
      changed = set(
        changed,
        ['permissions', list],
        rules.filter((rule) => rule !== pattern),
      )
  }
  return changed
}

function set(text: string, path: JSONPath, value: JsonValue): string {
  return applyEdits(text, modify(text, path, value, options))
}

/** Undefined where the list is not written. */
function rulesIn(text: string, list: RuleList): string[] | undefined {
  const { permissions } = (JSON.parse(text.replace(/^\u{feff}/u, '')) ?? {}) as {
    permissions?: Partial<Record<RuleList, string[]>>
  }
  return permissions?.[list]
}
