import { z } from 'zod'
import { examineHooks } from '../hooks/examine-hooks.ts'
import { managedFolderOf } from '../hooks/managed-folder.ts'
import { defineOwn } from '../own-tool.ts'
import { hookAgent } from '../hooks/shapes.ts'

export default defineOwn({
  name: 'hooks_doctor',
  description:
    "Run the hook that is in an agent's settings on something to block and something to let through, and say what is wrong.",
  effect: 'read',
  timeoutMs: 180_000,
  input: z.object({ agent: hookAgent }),
  output: z.object({
    isHealthy: z.boolean(),
    findings: z.array(
      z.object({ check: z.string(), level: z.enum(['ok', 'warning', 'error']), message: z.string() }),
    ),
  }),
  run: async (context, { agent }) => {
    const findings = await examineHooks(context, { agent, managed: managedFolderOf(context.ops.platform) })
    return { isHealthy: findings.every(({ level }) => level !== 'error'), findings }
  },
})
