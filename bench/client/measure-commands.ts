import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { root } from '../root.ts'
import { timed, type Timed } from './alternate.ts'
import { makeBenchWorkspace, type BenchWorkspace } from './bench-workspace.ts'
import { compare } from './compare.ts'
import { allowRules, lockOf } from './locked-entries.ts'

const ENTRIES = 50
const rounds = { warmUps: 5, rounds: 40 }
const pml = join(root, 'packages', 'pml', 'bin', 'pml.js')
const commands = {
  'cli-version': ['--version'],
  'cli-lock-show': ['lock', 'show', '--json'],
} as const

/** The built command from start to end, compared with an empty Node program. */
export async function measureCommands(bench: Bench): Promise<void> {
  for (const name of ['cli-version', 'cli-lock-show'] as const) {
    if (!bench.wanted.has(name)) continue
    const content = { allow: allowRules(), lockfile: lockOf(ENTRIES) }
    const workspace = await makeBenchWorkspace(bench.stops, content)
    await compare(bench, name, {
      ...rounds,
      ours: startNode(workspace, [pml, ...commands[name]]),
      peer: startNode(workspace, ['-e', '0']),
      against: 'node -e 0',
    })
  }
}

function startNode({ root: cwd, env }: BenchWorkspace, argv: readonly string[]): Timed {
  return () =>
    timed(() => {
      const { status, stderr } = spawnSync(process.execPath, argv, { cwd, env: { ...env } })
      if (status !== 0) throw new Error(`Cannot run ${argv.join(' ')}: ${stderr}`)
    })
}
