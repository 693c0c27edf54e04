import { access, constants, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { PmlError } from '@pml/core'
import type { Fetched } from '../api/pml.ts'
import { parseHttpDocument, parseStdioDocument } from '../workspace/documents.ts'
import { findDeno } from './deno/find-deno.ts'
import type { CallParts } from './call-parts.ts'
import { missingIn, WORKSPACE } from '../machine/environment.ts'

/** What an entry needs and this machine lacks, each as a sentence with a fix. */
export async function findUnready(
  { ops, files, apiKey }: Pick<CallParts, 'ops' | 'files' | 'apiKey'>,
  fetched: Pick<Fetched, 'name' | 'type' | 'routing' | 'bytes'>,
): Promise<string[]> {
  const { name, type, routing } = fetched
  if (type === 'deno') {
    const places = { env: ops.env, platform: ops.platform, workspace: files.root }
    return findDeno(places).then(
      () => [],
      (error: unknown) => {
        if (error instanceof PmlError) return [`${name} runs in Deno. ${error.message}`]
        throw error
      },
    )
  }
  if (type === 'http') {
    if (routing === 'server')
      return apiKey === undefined
        ? [`${name} runs at the registry: set PML_API_KEY to a key with the scope proxy:${name}`]
        : []
    return keysMissing(name, missingIn(ops.env, parseHttpDocument(fetched).envRequired))
  }
  const { pin, command, envRequired } = parseStdioDocument(fetched)
  const missing = missingIn(
    ops.env,
    envRequired.filter((wanted) => wanted !== WORKSPACE),
  )
  const program =
    pin === undefined && !(await isOnPath(command, ops.env['PATH'] ?? '', files.root))
      ? [`${name} is started with ${command}, which is not installed${cureFor(command)}`]
      : []
  return [...program, ...keysMissing(name, missing)]
}

function keysMissing(name: string, missing: readonly string[]): string[] {
  return missing.length === 0 ? [] : [`${name} needs ${missing.join(', ')}: set it where pml runs`]
}

const cures: Readonly<Record<string, string>> = {
  uvx: '; see https://docs.astral.sh/uv/',
  uv: '; see https://docs.astral.sh/uv/',
  docker: '; see https://docs.docker.com/get-docker/',
  npx: '; it comes with Node.js',
}

function cureFor(command: string): string {
  return cures[command] ?? '; install it, or add its folder to PATH'
}

async function isOnPath(command: string, path: string, root: string): Promise<boolean> {
  const hasFolder = isAbsolute(command) || /[/\\]/.test(command)
  const places = hasFolder
    ? [isAbsolute(command) ? command : join(root, command)]
    : path
        .split(delimiter)
        .filter(Boolean)
        .flatMap((folder) => ['', '.exe', '.cmd'].map((end) => join(folder, `${command}${end}`)))
  for (const place of places) {
    const isProgram = await access(place, constants.X_OK)
      .then(async () => (await stat(place)).isFile())
      .catch(() => false)
    if (isProgram) return true
  }
  return false
}
