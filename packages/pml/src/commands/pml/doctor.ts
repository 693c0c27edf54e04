import { access, constants } from 'node:fs/promises'
import { PmlError } from '@pml/core'
import { findDeno } from '../../calls/deno/find-deno.ts'
import type { Client } from '../../calls/open-client.ts'
import { findNpm } from '../../npm/run-npm.ts'
import { requireTrusted } from '../../workspace/workspace-config-file.ts'
import { defineCommand } from '../command.ts'
import { printFindings } from '../print-findings.ts'

export default defineCommand({
  description: 'Check everything that pml needs here, and say what is wrong and how to fix it.',
  effect: 'read',
  output: ({ z }) =>
    z.object({
      isHealthy: z.boolean(),
      findings: z.array(z.object({ check: z.string(), isOk: z.boolean(), message: z.string() })),
    }),
  run: async ({ client }) => {
    const parts = await client()
    const findings = await Promise.all(
      Object.entries(checksOf(parts)).map(([check, find]) => examine(check, find)),
    )
    return { isHealthy: findings.every(({ isOk }) => isOk), findings }
  },
  print: ({ findings }, layout) =>
    printFindings(
      findings.map(({ isOk, ...finding }) => ({ ...finding, level: isOk ? 'ok' : 'error' })),
      layout,
    ),
})

/** The checks: each returns its finding, or throws the problem. */
function checksOf(parts: Client): Record<string, () => Promise<string>> {
  const { ops, files, config, lock } = parts
  return {
    workspace: async () => files.root,
    '.pml.json': async () => {
      const { allow, deny, ask } = (await config.read()).permissions
      return `${allow.length} allow, ${deny.length} deny, ${ask.length} ask`
    },
    trust: async () => {
      await requireTrusted(parts)
      return 'agreed'
    },
    '.pml/mcp.lock': async () => `${(await lock.read()).entries.size} entries`,
    registry: () => checkRegistry(parts),
    cache: () => checkCache(ops.cacheHome),
    npm: async () => {
      const { command, args } = await findNpm(ops)
      return [command, ...args].join(' ')
    },
    deno: () => findDeno({ env: ops.env, platform: ops.platform, workspace: files.root }),
  }
}

async function checkRegistry({ http, registry: { registry } }: Client): Promise<string> {
  const { status } = await http.send('healthz')
  if (status === 200) return registry.href
  throw new PmlError('unavailable', `${registry.href} answers with status ${status}`)
}

async function checkCache(cacheHome: string): Promise<string> {
  const found = await access(cacheHome, constants.W_OK).then(
    () => 'writable',
    ({ code }: NodeJS.ErrnoException) => code,
  )
  if (found === 'writable' || found === 'ENOENT') return cacheHome
  throw new PmlError('file_failed', `${cacheHome} cannot be written; set PML_CACHE_DIR to another folder`)
}

async function examine(check: string, find: () => Promise<string>) {
  try {
    return { check, isOk: true, message: await find() }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return { check, isOk: false, message: error.message }
  }
}
