import type { Limits, Outcome } from './run.ts'

export function printOutcome({ sent, kinds, failure }: Outcome, { seed }: Limits): string {
  const counts = Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`)
  const summary = `${sent} requests (${counts.toSorted().join(', ')})`
  if (!failure) return `${summary}: every property holds\n`
  const { property, found, kind, requests } = failure
  return `${[
    `${summary}: a property does not hold`,
    `property: ${property}`,
    `found:    ${found}`,
    `case:     ${kind}`,
    requests,
    `repeat:   npm run fuzz -- --seed ${seed}`,
  ].join('\n')}\n`
}
