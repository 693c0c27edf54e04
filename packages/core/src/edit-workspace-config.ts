import { applyEdits, modify, type JSONPath } from 'jsonc-parser'
import type { JsonValue } from './canonical-json.ts'

const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } }

type RuleList = 'allow' | 'ask'

/** The permissions of a new workspace: everything prompts. */
export function newWorkspaceConfig(workspace: string, registry: string | undefined): string {
  const cloud = registry === undefined ? {} : { cloud: { url: registry } }
  const permissions = { allow: [], deny: [], ask: ['*'] }
  return `${JSON.stringify({ version: 1, workspace, ...cloud, permissions }, null, 2)}\n`
}

/** Adds a rule and keeps the layout of the text. For a text that `parseWorkspaceConfig` accepts. */
export function withRule(text: string, list: RuleList, pattern: string): string {
  const { allow, ask } = permissionsIn(text)
  // Without rules, everything locked is wanted: the first rule must not drop the rest.
  const whole = allow === undefined && ask === undefined ? set(text, ['permissions', 'ask'], ['*']) : text
  const rules = rulesIn(whole, list)
  return rules.includes(pattern) ? whole : set(whole, ['permissions', list], [...rules, pattern])
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

function rulesIn(text: string, list: RuleList): string[] {
  return permissionsIn(text)[list] ?? []
}

function permissionsIn(text: string): Partial<Record<RuleList, string[]>> {
  const { permissions } = (JSON.parse(text.replace(/^\u{feff}/u, '')) ?? {}) as {
    permissions?: Partial<Record<RuleList, string[]>>
  }
  return permissions ?? {}
}
