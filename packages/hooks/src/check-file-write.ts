import { decide, type Guarded } from './decide.ts'
import { beforeTool } from './event.ts'
import type { World } from './world.ts'

interface FileWrite {
  readonly path: string
  readonly content: string
  readonly agent: string
  /** The folder that relative paths start from. */
  readonly cwd: string
}

export type FileWriteCheck =
  | { readonly blocked: false }
  | {
      readonly blocked: true
      readonly rule: string
      readonly reason: string
      /** What to do instead, in one line. */
      readonly suggestedAction: string
    }

/** Decides about one file, for programs that write on behalf of an agent. Writes that need approval are blocked. */
export function checkFileWrite(
  { path, content, agent, cwd }: FileWrite,
  { guarded, world }: { guarded: readonly Guarded[]; world: World },
): FileWriteCheck {
  const event = beforeTool({ agent, cwd, call: { kind: 'write', tool: 'Write', path, content } })
  const decision = decide(event, { guarded, world, shell: undefined, refusals: [] })
  if (decision.verdict === 'pass') return { blocked: false }
  const [finding] = decision.verdict === 'approval' ? decision.wanted[0].findings : decision.findings
  return { blocked: true, rule: finding.rule, reason: finding.reason, suggestedAction: finding.action }
}
