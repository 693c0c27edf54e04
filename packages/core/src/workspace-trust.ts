import { grantKinds, type GrantSet } from './grants.ts'
import type { WorkspaceConfig } from './workspace-config.ts'

/** The powers that a `.pml.json` gives, each in the words that a person reads before consenting. */
export interface TrustParts {
  /** Allow rules, grants and the registry. */
  readonly gives: readonly string[]
  /** Deny rules: removing one gives more power. */
  readonly denies: readonly string[]
}

export const noTrustParts: TrustParts = { gives: [], denies: [] }

export function trustPartsOf({ permissions, grants, registry }: WorkspaceConfig): TrustParts {
  const gives = [
    ...permissions.allow.map(({ text }) => `allow ${quote(text)}`),
    ...grants.flatMap(({ pattern, given }) => printGrants(pattern.text, given)),
    ...(registry === undefined ? [] : [`cloud.url ${quote(registry)}`]),
  ]
  return { gives: [...new Set(gives)], denies: permissions.deny.map(({ text }) => `deny ${quote(text)}`) }
}

/** Returns what the file gives without consent; empty if nothing is missing. */
export function findUnagreed(wanted: TrustParts, agreed: TrustParts): string[] {
  if (wanted.gives.length === 0) return []
  const lost = without(agreed.denies, wanted.denies)
  return [...without(wanted.gives, agreed.gives), ...lost.map((rule) => `no longer: ${rule}`)]
}

/** pml itself changes `from` to `to` on a person's request: consent covers what it adds, and nothing else. */
export interface OwnChange {
  readonly from: TrustParts
  readonly to: TrustParts
}

/** The consent before the change is written, so that concurrent readers find a file with consent. */
export function agreeToAdded(agreed: TrustParts, { from, to }: OwnChange): TrustParts {
  const added = without(without(to.gives, from.gives), agreed.gives)
  const isCovered = findUnagreed(from, agreed).length === 0
  return { gives: [...agreed.gives, ...added], denies: isCovered ? to.denies : agreed.denies }
}

/** The consent after the change is written. */
export function withoutRemoved({ gives, denies }: TrustParts, { from, to }: OwnChange): TrustParts {
  return { gives: without(gives, without(from.gives, to.gives)), denies }
}

/** The configuration until a person consents: every permission is ask, nothing is granted, and the default registry is used. */
export function withoutGiven(config: WorkspaceConfig): WorkspaceConfig {
  const { allow, deny, ask } = config.permissions
  // Allowed names stay wanted, so the lockfile loses nothing while a person has not looked yet.
  return {
    ...config,
    registry: undefined,
    permissions: { allow: [], deny, ask: [...ask, ...allow] },
    grants: [],
  }
}

function printGrants(pattern: string, given: GrantSet): string[] {
  return grantKinds.flatMap((kind) => {
    const values = given[kind] ?? []
    const shown = values === true ? ['everything'] : values.map(quote)
    return shown.map((value) => `grant ${quote(pattern)} ${kind} ${value}`)
  })
}

/** Quoted, so that two texts never look the same. */
function quote(text: string): string {
  return JSON.stringify(text)
}

function without(all: readonly string[], others: readonly string[]): string[] {
  return all.filter((one) => !others.includes(one))
}
