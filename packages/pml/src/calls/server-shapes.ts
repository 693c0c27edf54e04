import { z } from 'zod'
import type { ServerInfo } from '../servers/servers.ts'

export const serverWord = z
  .string()
  .min(1)
  .max(400)
  .describe('The name of a server that a file describes or that is locked')

export const serverInfo = z.object({
  name: z.string(),
  status: z.enum(['ready', 'degraded', 'offline']),
  reason: z.string().describe('Why it is not ready'),
  since: z.string(),
  latencyMs: z.number().nullable(),
  errors: z.int(),
  tools: z.array(z.string()).nullable().describe('Null while nobody has seen them'),
  lastCheck: z.string().nullable(),
  enabled: z.boolean(),
  transport: z.enum(['stdio', 'http']),
  scope: z.enum(['project', 'workspace', 'user', 'path', 'registry']),
  file: z.string(),
  description: z.string(),
  protocolVersion: z.string().nullable(),
  server: z.string().nullable().describe('What it calls itself'),
})

export type ShownServer = z.infer<typeof serverInfo>

export function showServer(info: ServerInfo): ShownServer {
  const { name, state, reason, since, latencyMs, errorCount, checkedAt, isEnabled, tools } = info
  const { transport, scope, file, description, protocolVersion, serverInfo: said } = info
  return {
    name,
    status: state,
    reason,
    since,
    latencyMs: latencyMs === undefined ? null : Math.round(latencyMs * 10) / 10,
    errors: errorCount,
    tools: tools ? [...tools] : null,
    lastCheck: checkedAt ?? null,
    enabled: isEnabled,
    transport,
    scope,
    file,
    description,
    protocolVersion: protocolVersion ?? null,
    server: said ? `${said.name} ${said.version}` : null,
  }
}
