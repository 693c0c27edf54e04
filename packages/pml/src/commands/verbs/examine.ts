import { access, constants } from 'node:fs/promises'
import { PmlError } from '@pml/core'
import type { CallParts } from '../../calls/call-parts.ts'
import { findDeno } from '../../calls/deno/find-deno.ts'
import type { Http } from '../../registry/http.ts'
import { findNpm } from '../../npm/run-npm.ts'
import { requireTrusted } from '../../workspace/workspace-config-file.ts'

export interface Finding {
  readonly check: string
  readonly isOk: boolean
  readonly message: string
}

/** Looks at everything that pml needs here and says what is wrong and how to mend it. */
export async function examine(parts: CallParts, http: Http): Promise<Finding[]> {
  const { ops, files, config, lock, registry } = parts
  return Promise.all([
    look('workspace', async () => files.root),
    look('.pml.json', async () => {
      const { permissions } = await config.read()
      const { allow, deny, ask } = permissions
      return `${allow.length} allow, ${deny.length} deny, ${ask.length} ask`
    }),
    look('trust', async () => {
      await requireTrusted(parts)
      return 'agreed'
    }),
    look('.pml/mcp.lock', async () => `${(await lock.read()).entries.size} entries`),
    look('registry', async () => {
      const { status } = await http.send('healthz')
      if (status === 200) return registry.registry.href
      throw new PmlError('unavailable', `${registry.registry.href} answers with status ${status}`)
    }),
    look('cache', async () => {
      const { cacheHome } = ops
      const info = await access(cacheHome, constants.W_OK).then(
        () => 'writable',
        ({ code }: NodeJS.ErrnoException) => code,
      )
      if (info === 'writable' || info === 'ENOENT') return cacheHome
      throw new PmlError('file_failed', `${cacheHome} cannot be written; set PML_CACHE_DIR to another folder`)
    }),
    look('npm', async () => {
      const { command, args } = await findNpm(ops)
      return [command, ...args].join(' ')
    }),
    look('deno', () => findDeno({ env: ops.env, platform: ops.platform, workspace: files.root })),
  ])
}

async function look(check: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { check, isOk: true, message: await work() }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return { check, isOk: false, message: error.message }
  }
}
