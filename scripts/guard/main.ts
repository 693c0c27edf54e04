// npm run guard [-- group… --jobs N]: runs every evasion through the hook, before and after the call, and prints the outcome.
// npm run guard -- --commits <git folder>… [--most N]: what the rules about tests would have blocked in real commits.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { inParallel } from '../../packages/pml/src/machine/in-parallel.ts'
import { runCommits } from './commits/run-commits.ts'
import { EVASIONS } from './corpus/index.ts'
import { makeRange, type Fate } from './run-evasion.ts'

const { values, positionals } = parseArgs({
  options: {
    jobs: { type: 'string', default: String(availableParallelism()) },
    commits: { type: 'boolean', default: false },
    most: { type: 'string', default: '300' },
  },
  allowPositionals: true,
})
if (values.commits) {
  const folders = positionals.length === 0 ? ['.'] : positionals
  runCommits(folders, Number(values.most))
  process.exit(0)
}
const groups = new Set(EVASIONS.map(({ group }) => group))
const unknown = positionals.filter((group) => !groups.has(group))
if (unknown.length > 0) {
  process.stderr.write(`There is no group ${unknown.join(', ')}; expected ${[...groups].join(', ')}\n`)
  process.exit(2)
}

const chosen = EVASIONS.filter(({ group }) => positionals.length === 0 || positionals.includes(group))
const range = makeRange()
const counts = new Map<Fate, number>()
try {
  await inParallel(
    chosen,
    async (evasion) => {
      const fate = await range.try(evasion)
      counts.set(fate, (counts.get(fate) ?? 0) + 1)
      if (fate === 'unseen') process.stdout.write(`unseen ${evasion.id}: ${evasion.command}\n`)
    },
    Number(values.jobs),
  )
} finally {
  range.remove()
}
const count = (fate: Fate) => counts.get(fate) ?? 0
process.stdout.write(
  `guard: ${chosen.length} evasions: ${count('caught')} caught before, ${count('undone')} undone after, ` +
    `${count('held')} held after, ${count('unseen')} unseen; ${count('without effect')} without effect here, ` +
    `${count('not run')} not run for want of a program\n`,
)
process.exitCode = count('unseen') === 0 ? 0 : 1
