import { canonicalJson } from './canonical-json.ts'
import type { PackageChange } from './package-change.ts'
import type { Pin, PinLock, ToolDefinition } from './schemas/pin.ts'

/** A comparison of two pins for reviewers. */
export interface PinDiff {
  readonly server: string
  readonly package: string
  readonly before: string | undefined
  readonly after: string
  readonly packages: {
    readonly added: readonly PackageChange[]
    readonly removed: readonly PackageChange[]
    readonly bumped: readonly PackageChange[]
    /** The same version with other bytes, which a pin exists to detect. */
    readonly rehashed: readonly PackageChange[]
  }
  readonly tools: {
    readonly added: readonly string[]
    readonly removed: readonly string[]
    readonly changed: readonly string[]
  }
  /** False if the server was not started, so that its tools are unknown. */
  readonly toolsListed: boolean
  /** Packages with install scripts, which never run here; the server may depend on them. */
  readonly installScripts: readonly string[]
}

export function diffPins(before: Pin | undefined, after: Pin): PinDiff {
  return {
    server: after.server,
    package: after.package,
    before: before?.version,
    after: after.version,
    packages: diffPackages(before?.lock, after.lock),
    tools: diffTools(before?.tools ?? [], after.tools ?? []),
    toolsListed: after.tools !== null,
    installScripts: findInstallScripts(after.lock),
  }
}

/** The install paths of packages with install scripts. */
export function findInstallScripts({ packages }: Pick<PinLock, 'packages'>): string[] {
  return Object.keys(packages).filter((location) => packages[location]?.hasInstallScript)
}

export function diffPackages(
  before: Pick<PinLock, 'packages'> | undefined,
  after: Pick<PinLock, 'packages'>,
): PinDiff['packages'] {
  const locations = new Set(
    [...Object.keys(before?.packages ?? {}), ...Object.keys(after.packages)].filter(Boolean),
  )
  const changes = [...locations].sort().map((location) => {
    const [old, now] = [before?.packages[location], after.packages[location]]
    return {
      location,
      before: old?.version,
      after: now?.version,
      sameBytes: old?.integrity === now?.integrity,
    }
  })
  const pick = (which: (change: (typeof changes)[number]) => boolean): PackageChange[] =>
    changes.filter(which).map(({ sameBytes: _same, ...change }) => change)
  return {
    added: pick((change) => change.before === undefined),
    removed: pick((change) => change.after === undefined),
    bumped: pick(
      (change) => change.before !== change.after && change.before !== undefined && change.after !== undefined,
    ),
    rehashed: pick((change) => change.before === change.after && !change.sameBytes),
  }
}

function diffTools(before: readonly ToolDefinition[], after: readonly ToolDefinition[]): PinDiff['tools'] {
  const old = new Map(before.map((tool) => [tool.name, canonicalJson(tool)]))
  const now = new Map(after.map((tool) => [tool.name, canonicalJson(tool)]))
  return {
    added: [...now.keys()].filter((name) => !old.has(name)).sort(),
    removed: [...old.keys()].filter((name) => !now.has(name)).sort(),
    changed: [...now.keys()].filter((name) => old.has(name) && old.get(name) !== now.get(name)).sort(),
  }
}
