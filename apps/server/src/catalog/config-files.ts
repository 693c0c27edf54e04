import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  noRoutingRules,
  parseRoutingConfig,
  parseServerConfig,
  PmlError,
  type RoutingRules,
  type ServerConfig,
} from '@pml/core'
import { parseApprovalConfig, usualApprovalConfig, type ApprovalConfig } from '@pml/core/approval-config'
import { parsePin, type Pin } from '@pml/core/pins'

export interface ConfigFiles {
  /** Undefined where there is no file: nothing is known, so nothing changes. */
  readonly servers: readonly ServerConfig[] | undefined
  readonly pins: ReadonlyMap<string, Pin>
  readonly routes: RoutingRules
  readonly approvals: ApprovalConfig
  /** Sentences about what the files say without effect. */
  readonly ignored: readonly string[]
}

const MOST_BYTES = 8 * 1024 * 1024

/** All of the configuration, or an error that names every file that cannot be used and why. */
export async function readConfigFiles(folder: string): Promise<ConfigFiles> {
  const problems: string[] = []
  const noting = async <Value>(read: Promise<Value>, otherwise: Value): Promise<Value> => {
    try {
      return await read
    } catch (error) {
      if (!(error instanceof PmlError)) throw error
      problems.push(error.message)
      return otherwise
    }
  }
  const file = await noting(parseFile(join(folder, 'mcp-servers.json'), parseServerConfig), undefined)
  const routes = await noting(parseFile(join(folder, 'mcp-routing.json'), parseRoutingConfig), undefined)
  const approvals = await noting(parseFile(join(folder, 'approvals.json'), parseApprovalConfig), undefined)
  const pins = new Map<string, Pin>()
  for (const path of await noting(pinFiles(join(folder, 'pins')), [])) {
    const pin = await noting(parseFile(path, parsePin), undefined)
    if (pin) pins.set(pin.server, pin)
  }
  if (problems.length > 0) throw new PmlError('invalid_config', problems.join('\n'), { problems })
  return {
    servers: file?.servers,
    pins,
    routes: routes ?? noRoutingRules,
    approvals: approvals ?? usualApprovalConfig,
    ignored: file?.ignored ?? [],
  }
}

async function pinFiles(folder: string): Promise<string[]> {
  const names = await unlessMissing(folder, readdir(folder))
  return (names ?? [])
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => join(folder, name))
}

async function parseFile<Value>(
  path: string,
  parse: (text: string, file: string) => Value,
): Promise<Value | undefined> {
  const bytes = await unlessMissing(path, readFile(path))
  if (bytes === undefined) return undefined
  if (bytes.length > MOST_BYTES)
    throw new PmlError(
      'invalid_config',
      `Cannot read ${path}: expected at most ${MOST_BYTES} bytes, got ${bytes.length}`,
    )
  return parse(decode(bytes, path), path)
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PmlError('invalid_config', `Cannot read ${path}: expected UTF-8 text`)
  }
}

async function unlessMissing<Value>(path: string, reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT') return undefined
    const why =
      { EISDIR: 'it is a directory', ENOTDIR: 'it is not a directory', EACCES: 'permission denied' }[code] ??
      code
    throw new PmlError('invalid_config', `Cannot read ${basename(path)} (${path}): ${why}`)
  }
}
