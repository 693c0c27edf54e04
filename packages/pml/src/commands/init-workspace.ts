import { basename, join } from 'node:path'
import { newWorkspaceConfig, parseWorkspaceConfig, trustPartsOf } from '@pml/core'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { writeAtomically } from '../machine/files/write-atomically.ts'
import { clientIdOf } from '../workspace/client-id.ts'
import { requireFolder, workspaceFilesOf } from '../workspace/workspace-files.ts'
import type { WorkspaceTrust } from '../workspace/workspace-trust.ts'

interface Initialised {
  readonly workspace: string
  readonly created: readonly string[]
}

const LIMIT_BYTES = 1024 * 1024

interface InitOptions {
  readonly registry: string | undefined
  readonly trust: WorkspaceTrust
}

/** Creates a workspace in a folder and keeps existing files. The person consents to what is written, and to nothing else. */
export async function initWorkspace(root: string, { registry, trust }: InitOptions): Promise<Initialised> {
  const files = workspaceFilesOf(root)
  const config = await readPlainFile(files.config, LIMIT_BYTES)
  if (config) parseWorkspaceConfig(config.bytes.toString('utf8'), files.config)
  await requireFolder(files.state)
  await clientIdOf(files)
  const created: string[] = []
  if (!config) {
    const text = newWorkspaceConfig(basename(root), registry)
    await trust.change(() => trustPartsOf(parseWorkspaceConfig(text, files.config)))
    await writeAtomically(files.config, text, { mode: 0o644, isGuard: true })
    created.push('.pml.json')
  }
  if (await ignoreState(root)) created.push('.gitignore')
  return { workspace: root, created }
}

/**
 * Commits the lockfile, the listings and the files of local servers, and the policy for hooks; the rest of `.pml/` belongs
 * to this machine. The folder itself must not be ignored, because git applies no exceptions within an ignored folder.
 */
const wanted = [
  '!.pml/',
  '.pml/*',
  '!.pml/mcp.lock',
  '!.pml/enforcement.json',
  '!.pml/servers/',
  '!.pml/servers/*.json',
  '!.pml/mcp/',
  '!.pml/mcp/*.json',
]

/** Returns whether the file was changed. The last rule wins, so ours follow all that may apply to the same files. */
async function ignoreState(root: string): Promise<boolean> {
  const path = join(root, '.gitignore')
  const file = await readPlainFile(path, LIMIT_BYTES)
  const text = file?.bytes.toString('utf8') ?? ''
  const lines = text.split(/\r?\n/)
  const last = lines.findLastIndex((line) => wanted.includes(line) || mayConcern(line))
  if (wanted.every((line, index) => lines[last - wanted.length + 1 + index] === line)) return false
  const kept = lines.filter((line) => !wanted.includes(line))
  while (kept.at(-1)?.trim() === '') kept.pop()
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  await writeAtomically(path, [...kept, ...wanted, ''].join(end), { mode: file?.mode ?? 0o644 })
  return true
}

/** Patterns that may apply to `.pml` or to files in it. */
function mayConcern(line: string): boolean {
  return !line.startsWith('#') && /pml|lock|mcp|servers|json|^!?\/?[.*?[]/.test(line)
}
