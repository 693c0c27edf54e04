import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import type { Ops } from '../../machine/ops.ts'
import { findNpm, runNpm } from '../../npm/run-npm.ts'
import { findInstalled, ownDenoFolder } from './find-deno.ts'

/** The version that the tests use. */
export const DENO_VERSION = '2.9.6'
const TIMEOUT_MS = 300_000

/** Installs the npm package into pml's own folder without running its scripts. Returns the path of Deno. */
export async function installDeno(ops: Ops, signal: AbortSignal): Promise<string> {
  const folder = ownDenoFolder(ops)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }))
  const failure = await runNpm(
    await findNpm(ops),
    [
      'install',
      '--ignore-scripts',
      '--save-exact',
      '--no-audit',
      '--no-fund',
      '--global=false',
      '--no-update-notifier',
      '--no-progress',
      '--loglevel=error',
      `deno@${DENO_VERSION}`,
    ],
    { cwd: folder, signal, timeoutMs: TIMEOUT_MS, kill: ops.kill },
  )
  if (failure)
    throw new PmlError(
      'install_failed',
      `Cannot install Deno: npm failed with ${failure.code}: ${failure.reason}`,
    )
  const [path] = await findInstalled(folder, ops.platform)
  if (path !== undefined) return path
  throw new PmlError(
    'install_failed',
    `Cannot install Deno: the npm package has no program for this platform; see https://docs.deno.com, then set PML_DENO`,
  )
}
