import { PmlError, type Integrity } from '@pml/core'
import type { Approval } from '../api/approval.ts'
import type { Answer, Call, CallParts } from './call-parts.ts'
import { findDeno } from './deno/find-deno.ts'
import { flagsFor, requireGranted } from './deno/permissions.ts'
import { runModule, type DenoLimits, type ModuleRun } from './deno/run-module.ts'
import { foreignLine } from './foreign-line.ts'
import { environmentFor } from '../machine/environment.ts'

/** Declared permissions by the integrity of the module, read once per process. */
const declarations = new Map<Integrity, unknown>()

/** Runs verified code in its own Deno process, with the permissions that it declares and the workspace grants. */
export async function callModule(parts: CallParts, call: Call): Promise<Answer | Approval> {
  const { fetched, tool, args, permission, limits } = call
  const { ops, files, config, denoFolder } = parts
  const deno = await findDeno({ env: ops.env, platform: ops.platform, workspace: files.root })
  const run: ModuleRun = {
    name: tool,
    code: new TextDecoder('utf-8', { fatal: true }).decode(fetched.bytes),
    args: undefined,
    flags: [],
    cwd: files.root,
    env: denoEnvironment({}),
  }
  const within: DenoLimits = {
    ...limits,
    deno,
    folder: denoFolder,
    kill: ops.kill,
    onStderr: (line) => ops.tell(foreignLine(line)),
  }
  const declared = declarations.get(fetched.integrity) ?? (await declaredBy(run, within))
  declarations.set(fetched.integrity, declared)
  const { grants } = await config.read()
  const granted = await requireGranted({ tool, root: files.root, declared, grants })
  const names = granted.env === true ? Object.keys(ops.env) : (granted.env ?? [])
  const flags = await flagsFor(granted, files.root)
  const asked = await permission.spend()
  if (asked) return asked
  const outcome = await runModule(
    {
      ...run,
      args,
      flags,
      env: denoEnvironment(environmentFor(ops.env, names)),
    },
    within,
  )
  if ('result' in outcome) return { result: outcome.result }
  throw failed(tool, 'error' in outcome ? reasonIn(outcome.error) : 'it returned no result')
}

/** Replaces Deno's advice about flags, which cannot be set here. */
function reasonIn({ name, message }: { name: string; message: string }): string {
  if (name !== 'NotCapable') return message
  const [what = message] = message.split(', run again with')
  return `permission denied: ${what}; a module needs declared permissions, and never gets pml's own files or links that lead out of a permitted folder`
}

async function declaredBy(run: ModuleRun, within: DenoLimits): Promise<unknown> {
  const outcome = await runModule(run, within)
  if ('permissions' in outcome) return outcome.permissions
  throw failed(
    run.name,
    'error' in outcome ? `it cannot be loaded: ${reasonIn(outcome.error)}` : 'it cannot be loaded',
  )
}

function denoEnvironment(env: Record<string, string>): Record<string, string> {
  return { ...env, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' }
}

function failed(tool: string, message: string): PmlError {
  return new PmlError('tool_failed', `Cannot finish ${tool}: ${message}`)
}
