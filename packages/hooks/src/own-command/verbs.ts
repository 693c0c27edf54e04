/**
 * What an agent may do with pml itself. `free` only reads or is judged by the workspace's rules anyway. `guarded`
 * answers, consents, adds, changes locks or removes protection: only a person may. A test checks that every command
 * is listed.
 */
export const verbs: Readonly<Record<string, 'free' | 'guarded'>> = {
  add: 'guarded',
  completions: 'free',
  // Free where it only shows a question; see find-own-command.ts.
  continue: 'guarded',
  doctor: 'free',
  fetch: 'free',
  help: 'free',
  // It spends approvals and writes the hook's state.
  hook: 'guarded',
  init: 'guarded',
  list: 'free',
  outdated: 'free',
  publish: 'free',
  remove: 'guarded',
  rollback: 'guarded',
  run: 'free',
  // A program that talks to it as a client can answer its dialogs.
  serve: 'guarded',
  servers: 'free',
  sync: 'free',
  // Free with --status alone.
  trust: 'guarded',
  update: 'guarded',
  version: 'free',
  'approval block': 'free',
  'approval export': 'guarded',
  'approval import': 'guarded',
  'approval list': 'free',
  'approval show': 'free',
  'approval spend': 'guarded',
  'audit export': 'free',
  'audit flags': 'free',
  'audit head': 'free',
  'audit key': 'free',
  'audit report': 'free',
  'audit search': 'free',
  'audit verify': 'free',
  'audit verify-file': 'free',
  'blob get': 'free',
  'cache clean': 'free',
  'cache dir': 'free',
  'cache size': 'free',
  'catalog get': 'free',
  'catalog history': 'free',
  'catalog list': 'free',
  'catalog retire': 'free',
  'catalog search': 'free',
  'catalog show': 'free',
  'client install': 'guarded',
  'client uninstall': 'guarded',
  'hooks accept': 'guarded',
  'hooks doctor': 'free',
  'hooks install': 'guarded',
  'hooks status': 'free',
  'hooks test': 'free',
  'hooks uninstall': 'guarded',
  'key create': 'guarded',
  'key list': 'free',
  'key revoke': 'guarded',
  'key rotate': 'guarded',
  'lock clean': 'guarded',
  'lock diff': 'free',
  'lock show': 'free',
  'lock verify': 'free',
  'lock why': 'free',
  'mcp disable': 'free',
  'mcp enable': 'guarded',
  'mcp get': 'free',
  'mcp list': 'free',
  'mcp logs': 'free',
  'mcp reload': 'free',
  'mcp retire': 'free',
  'mcp search': 'free',
  'mcp show': 'free',
  'mcp test': 'free',
  'mcp validate': 'free',
  'pattern list': 'free',
  'pattern remove': 'guarded',
  'pattern suggest': 'free',
  'registry add-pattern': 'guarded',
  'registry approve-change': 'guarded',
  'registry check-approval': 'free',
  'registry export': 'free',
  'registry import': 'guarded',
  'registry reject-change': 'guarded',
  'registry status': 'free',
}

/** Flags of every command that take the next word. */
export const valueFlags: ReadonlySet<string> = new Set(['--input', '--workspace', '--port'])

/** Registry tools that decide for others, under any server name. */
export const decidingTools: ReadonlySet<string> = new Set([
  'approval_import',
  'approval_spend',
  'registry_add_pattern',
  'registry_approve_change',
  'registry_import',
  'registry_reject_change',
])

/** Deciding tools whose names other servers use too. */
export const keyTools: ReadonlySet<string> = new Set([
  'key_create',
  'key_revoke',
  'key_rotate',
  'pattern_remove',
])
