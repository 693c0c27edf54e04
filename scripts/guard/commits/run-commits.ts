import { measureCommits, printMeasured } from './measure-commits.ts'

/** Prints what the rules about tests would have blocked, per repository and in total. */
export function runCommits(folders: readonly string[], most: number): void {
  const measured = folders.map((folder) => {
    const one = measureCommits(folder, { most, from: 'newest' })
    for (const { change, rules, losesTests } of one.held)
      if (!losesTests)
        process.stdout.write(`held ${change.commit.slice(0, 10)} ${change.path}: ${rules.join(', ')}\n`)
    process.stdout.write(`${printMeasured(folder, one).line}\n`)
    return one
  })
  const pairs = measured.reduce((sum, one) => sum + one.pairs, 0)
  const held = measured.flatMap((one) => one.held)
  process.stdout.write(`${printMeasured('all', { pairs, held }).line}\n`)
}
