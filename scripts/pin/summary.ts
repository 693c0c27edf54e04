import type { PackageChange, PinDiff } from '@pml/core/pins'
import type { PinResult } from './result.ts'

/** The summary for a reviewer before looking at the files. */
export function printSummary(results: readonly PinResult[]): string {
  const count = (outcome: PinResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length
  const total = `${count('changed')} changed, ${count('unchanged')} unchanged, ${count('failed')} failed`
  return `${[...results.map(printResult), total].join('\n')}\n`
}

function printResult(result: PinResult): string {
  if (result.outcome === 'failed') return `${result.server}: FAILED, ${result.reason}`
  if (result.outcome === 'unchanged') return `${result.server}: unchanged at ${result.version}`
  return [
    headline(result.diff),
    ...packageLines(result.diff),
    ...toolLines(result.diff),
    ...scriptLines(result.diff),
  ].join('\n')
}

function headline({ server, package: name, before, after }: PinDiff): string {
  if (before === undefined) return `${server}: new pin, ${name} ${after}`
  return before === after
    ? `${server}: ${name} ${after}, the tree or the tools changed`
    : `${server}: ${name} ${before} -> ${after}`
}

function packageLines({ before, packages }: PinDiff): string[] {
  if (before === undefined) return [`  ${packages.added.length} packages`]
  return [
    ...packages.rehashed.map(
      (change) => `  ! ${nameOf(change)} ${change.after} HAS OTHER BYTES UNDER THE SAME VERSION`,
    ),
    ...packages.bumped.map((change) => `  ~ ${nameOf(change)} ${change.before} -> ${change.after}`),
    ...packages.added.map((change) => `  + ${nameOf(change)} ${change.after}`),
    ...packages.removed.map((change) => `  - ${nameOf(change)} ${change.before}`),
  ]
}

function toolLines({ before, tools, toolsListed }: PinDiff): string[] {
  if (!toolsListed) return ['  tools not listed; run again without --no-start']
  if (before === undefined) return [`  ${tools.added.length} tools: ${tools.added.join(', ')}`]
  return [
    ...tools.added.map((tool) => `  + tool ${tool}`),
    ...tools.removed.map((tool) => `  - tool ${tool}`),
    ...tools.changed.map((tool) => `  ~ tool ${tool}`),
  ]
}

function scriptLines({ installScripts }: PinDiff): string[] {
  const names = installScripts.map((location) => nameOf({ location }))
  return names.length === 0 ? [] : [`  install scripts that do not run: ${[...new Set(names)].join(', ')}`]
}

function nameOf({ location }: Pick<PackageChange, 'location'>): string {
  return location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
