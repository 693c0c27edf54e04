export interface Goal {
  readonly relation: '>=' | '<='
  readonly bound: number
}

/** Every figure of the bench, in order of measurement. */
export const goals = {
  'read-200': { relation: '>=', bound: 0.8 },
  'read-304': { relation: '>=', bound: 0.8 },
  'redirect-302': { relation: '>=', bound: 0.75 },
  'catalog-50': { relation: '>=', bound: 0.5 },
  'tool-call': { relation: '>=', bound: 0.5 },
  'mcp-call': { relation: '>=', bound: 0.15 },
  'vs-verdaccio': { relation: '>=', bound: 8 },
  'zipf-100k': { relation: '>=', bound: 0.7 },
  'memory-100k': { relation: '<=', bound: 2 },
  'deep-page': { relation: '<=', bound: 10 },
  'deep-cursor': { relation: '<=', bound: 2 },
  'search-1m': { relation: '<=', bound: 8 },
  'search-load': { relation: '<=', bound: 2 },
  'start-1m': { relation: '<=', bound: 3 },
  check: { relation: '>=', bound: 0.25 },
  'check-growth': { relation: '>=', bound: 0.8 },
  spend: { relation: '>=', bound: 0.5 },
  'spend-p99': { relation: '<=', bound: 3 },
  'spend-growth': { relation: '>=', bound: 0.8 },
  'big-body': { relation: '<=', bound: 5 },
  'hook-http': { relation: '>=', bound: 0.3 },
  'hook-local': { relation: '<=', bound: 1.6 },
  'hook-approved': { relation: '<=', bound: 2 },
  'hook-rules': { relation: '<=', bound: 1.5 },
  'hook-witness': { relation: '<=', bound: 1.8 },
  'gateway-call': { relation: '<=', bound: 2.5 },
  'start-20': { relation: '<=', bound: 1.3 },
  'gateway-idle': { relation: '<=', bound: 1 },
  'gateway-memory': { relation: '<=', bound: 1.2 },
  'lock-10k': { relation: '<=', bound: 5 },
  'lock-growth': { relation: '<=', bound: 12 },
  'cli-version': { relation: '<=', bound: 1.6 },
  'cli-lock-show': { relation: '<=', bound: 2 },
  'fetch-warm': { relation: '<=', bound: 1.5 },
  'sync-200': { relation: '<=', bound: 1.5 },
  'run-deno': { relation: '<=', bound: 1.4 },
} as const satisfies Record<string, Goal>

export type LineName = keyof typeof goals

const lineNames = Object.keys(goals) as LineName[]

/** Without arguments all lines are selected. */
export function parseLineNames(
  args: readonly string[],
): { readonly wanted: ReadonlySet<LineName> } | { readonly problem: string } {
  const unknown = args.filter((arg) => !lineNames.some((name) => name === arg))
  if (unknown.length > 0) {
    return { problem: `Cannot run ${unknown.join(', ')}: expected ${lineNames.join(', ')}` }
  }
  return { wanted: new Set(args.length === 0 ? lineNames : lineNames.filter((name) => args.includes(name))) }
}

export function printLine(name: LineName, figure: number): { readonly text: string; readonly ok: boolean } {
  const { relation, bound }: Goal = goals[name]
  const shown = towardsShort(figure, relation)
  const ok = relation === '>=' ? shown >= bound : shown <= bound
  return {
    text: `bench ${name} ${shown.toFixed(2)} goal ${relation}${bound.toFixed(2)} ${ok ? 'ok' : 'short'}`,
    ok,
  }
}

/** Rounded so that the printed figure is never better than the measured one; the verdict uses the printed figure. */
function towardsShort(figure: number, relation: Goal['relation']): number {
  const hundredths = Number((figure * 100).toFixed(6))
  return (relation === '>=' ? Math.floor(hundredths) : Math.ceil(hundredths)) / 100
}
