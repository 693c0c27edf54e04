import { managedFolderOf } from '../../agents/agent-folder.ts'
import { examineHooks } from '../../agents/doctor/examine-hooks.ts'
import { hookAgent, requireHooks } from '../../agents/hook-shapes.ts'
import { defineCommand } from '../command.ts'
import { printFindings } from '../print-findings.ts'

const LIVE_TIMEOUT_MS = 60_000

export default defineCommand({
  description: `Test the hook in an agent's settings with a call to block and a call to allow, and report problems.

## Examples

\`\`\`json
{"agent": "claude"}
\`\`\`

\`\`\`json
{"agent": "codex", "live": true}
\`\`\`
`,
  effect: 'read',
  input: ({ z }) =>
    z.object({
      agent: hookAgent,
      live: z
        .boolean()
        .default(false)
        .describe('Also start the agent with a scripted model that makes one call to block'),
    }),
  output: ({ z }) =>
    z.object({
      isHealthy: z.boolean(),
      findings: z.array(
        z.object({
          check: z.string(),
          level: z.enum(['ok', 'warning', 'unknown', 'error']),
          message: z.string(),
        }),
      ),
    }),
  run: async (context, { agent, live }) => {
    const registry = async () => {
      const { http, registry: found } = await context.client()
      return { url: found.registry, send: http.send }
    }
    const findings = await examineHooks(
      { ...context, registry },
      {
        agent: requireHooks(agent),
        managed: managedFolderOf(context.ops.platform),
        live: live ? { timeoutMs: LIVE_TIMEOUT_MS } : undefined,
      },
    )
    return { isHealthy: findings.every(({ level }) => level === 'ok' || level === 'warning'), findings }
  },
  print: ({ findings }, layout) => printFindings(findings, layout),
})
