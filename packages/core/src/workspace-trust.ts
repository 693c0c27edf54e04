import { grantKinds, type GrantSet } from './grants.ts'
import type { WorkspaceConfig } from './workspace-config.ts'

/** What a `.pml.json` gives away, each part in the words that a person reads before agreeing to it. */
export interface TrustParts {
  /** Allow rules, grants and the registry. */
  readonly gives: readonly string[]
  /** Deny rules: to lose one is to give more. */
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

/** What the file gives and nobody has agreed to; empty where there is nothing to agree to. */
export function findUnagreed(wanted: TrustParts, agreed: TrustParts): string[] {
  if (wanted.gives.length === 0) return []
  const lost = without(agreed.denies, wanted.denies)
  return [...without(wanted.gives, agreed.gives), ...lost.map((rule) => `no longer: ${rule}`)]
}

/** pml itself makes `to` of `from` because the person said so: what it adds is agreed to, and nothing else. */
export interface OwnChange {
  readonly from: TrustParts
  readonly to: TrustParts
}

/** The agreement before that change is written: a reader in between finds a file that was agreed to. */
export function agreeToAdded(agreed: TrustParts, { from, to }: OwnChange): TrustParts {
  const added = without(without(to.gives, from.gives), agreed.gives)
  const isCovered = findUnagreed(from, agreed).length === 0
  return { gives: [...agreed.gives, ...added], denies: isCovered ? to.denies : agreed.denies }
}

/** The agreement after it is written. */
export function withoutRemoved({ gives, denies }: TrustParts, { from, to }: OwnChange): TrustParts {
  return { gives: without(gives, without(from.gives, to.gives)), denies }
}

/** Until somebody agrees: every permission is ask, nothing is granted, and the registry is not the one that it names. */
export function withoutGiven(config: WorkspaceConfig): WorkspaceConfig {
  const { allow, deny, ask } = config.permissions
  // What allow names stays wanted: nothing leaves the lockfile because a person has not looked yet.
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

/** No text in quotes can be taken for two. */
function quote(text: string): string {
  return JSON.stringify(text)
}

function without(all: readonly string[], others: readonly string[]): string[] {
  return all.filter((one) => !others.includes(one))
}
