import { execFile } from 'node:child_process'
import type { HookedAgent, NeededVersion } from '@pml/hooks/agents'
import type { Ops } from '../../machine/ops.ts'

/** Some agents start slowly on a busy machine. */
const LIMIT_MS = 20_000

interface AgentVersion extends NeededVersion {
  /** Undefined if the program is missing or prints no version. */
  readonly found: string | undefined
  readonly isOld: boolean
}

export async function findAgentVersion(
  { env, cwd }: Pick<Ops, 'env' | 'cwd'>,
  { hooks: { needs } }: HookedAgent,
): Promise<AgentVersion | undefined> {
  if (needs === undefined) return undefined
  const said = await new Promise<string>((done) => {
    const options = { env: { ...env }, cwd, timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const
    execFile(needs.program, ['--version'], options, (_, stdout) => done(stdout)).stdin?.end()
  })
  const found = /\d+\.\d+\.\d+/.exec(said)?.[0]
  return { ...needs, found, isOld: found !== undefined && isOlder(found, needs.version) }
}

function isOlder(version: string, other: string): boolean {
  const [parts, others] = [version, other].map((text) => text.split('.').map(Number))
  const different = parts?.findIndex((part, index) => part !== others?.[index]) ?? -1
  return different >= 0 && (parts?.[different] ?? 0) < (others?.[different] ?? 0)
}
