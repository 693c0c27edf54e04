import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requireNpm, type BoundNpm } from '../run-npm.ts'
import type { Agent } from './agents/agent.ts'

/** Installs the pinned version of an agent once and returns its folder; throws npm's own error. */
export async function installAgent(
  { name, package: packageName, version }: Agent,
  { folder, npm, tell }: { folder: string; npm: BoundNpm; tell: (line: string) => void },
): Promise<string> {
  const installed = join(folder, `${name}-${version}`)
  if (existsSync(installed)) return installed
  tell(`${name}: installing ${packageName}@${version} from npm`)
  const partial = `${installed}.${process.pid}`
  try {
    await mkdir(partial, { recursive: true })
    await writeFile(join(partial, 'package.json'), '{"private":true}\n')
    const flags = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund']
    await requireNpm(npm, ['install', `${packageName}@${version}`, ...flags], partial)
    await rename(partial, installed)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  tell(`${name}: installed`)
  return installed
}

/** A program in a package for this platform, which needs no install script. */
export function platformPackage(installed: string, prefix: string, file: string): string {
  return join(installed, 'node_modules', `${prefix}${process.platform}-${process.arch}`, file)
}
