import { execFile } from 'node:child_process'
import type { AgentName } from '@pml/hooks'
import type { Ops } from '../../machine/ops.ts'

interface Needed {
  readonly program: string
  readonly version: string
  /** What an older one does not know. */
  readonly reason: string
}

/** The oldest version of each agent that has all we rely on, where that is known. */
const needed: Readonly<Partial<Record<AgentName, Needed>>> = {
  claude: {
    program: 'claude',
    version: '2.1.295',
    reason: 'it takes no notice of onFailure, so a hook that takes too long lets the call through',
  },
  codex: {
    program: 'codex',
    version: '0.124.0',
    reason: 'its hooks do not see patches and calls of MCP servers',
  },
  cursor: {
    program: 'cursor',
    version: '2.4.0',
    reason: 'it has no hook before a file is written',
  },
  gemini: { program: 'gemini', version: '0.26.0', reason: 'its hooks are off unless they are turned on' },
}

/** Some of them take long to start on a machine that is busy. */
const LIMIT_MS = 20_000

interface AgentVersion extends Needed {
  /** Undefined where the program is not found or does not say. */
  readonly found: string | undefined
  readonly isOld: boolean
}

export async function findAgentVersion(
  { env, cwd }: Pick<Ops, 'env' | 'cwd'>,
  agent: AgentName,
): Promise<AgentVersion | undefined> {
  const wanted = needed[agent]
  if (wanted === undefined) return undefined
  const said = await new Promise<string>((done) => {
    const options = { env: { ...env }, cwd, timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const
    execFile(wanted.program, ['--version'], options, (_, stdout) => done(stdout)).stdin?.end()
  })
  const found = /\d+\.\d+\.\d+/.exec(said)?.[0]
  return { ...wanted, found, isOld: found !== undefined && isOlder(found, wanted.version) }
}

function isOlder(version: string, other: string): boolean {
  const [parts, others] = [version, other].map((text) => text.split('.').map(Number))
  const different = parts?.findIndex((part, index) => part !== others?.[index]) ?? -1
  return different >= 0 && (parts?.[different] ?? 0) < (others?.[different] ?? 0)
}
