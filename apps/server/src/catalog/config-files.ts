import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  integrityOf,
  noRoutingRules,
  parseRoutingConfig,
  parseServerConfig,
  PmlError,
  type Integrity,
  type RoutingRules,
  type ServerConfig,
} from '@pml/core'
import { parseApprovalConfig, usualApprovalConfig, type ApprovalConfig } from '@pml/core/approval-config'
import { parsePin, type Pin } from '@pml/core/pins'
import { parseEnforcement, type Enforcement } from '../hooks/parse-enforcement.ts'

export interface ConfigFiles {
  /** Undefined where there is no file: nothing is known, so nothing changes. */
  readonly servers: readonly ServerConfig[] | undefined
  readonly pins: ReadonlyMap<string, Pin>
  readonly routes: RoutingRules
  readonly approvals: ApprovalConfig
  /** Undefined where there is no file: nobody knows what hooks over HTTP may let pass. */
  readonly enforcement: Enforcement | undefined
  /** Sentences about what the files say without effect. */
  readonly ignored: readonly string[]
  /** What was read, file by file. */
  readonly digests: Readonly<Record<string, Integrity>>
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
  const digests: Record<string, Integrity> = {}
  const parseFile = <Value>(file: string, parse: Parse<Value>): Promise<Value | undefined> =>
    noting(
      readConfigFile(join(folder, file)).then((found) => {
        if (!found) return undefined
        digests[file] = found.integrity
        return parse(found.text, join(folder, file))
      }),
      undefined,
    )
  const file = await parseFile('mcp-servers.json', parseServerConfig)
  const routes = (await parseFile('mcp-routing.json', parseRoutingConfig)) ?? noRoutingRules
  const approvals = (await parseFile('approvals.json', parseApprovalConfig)) ?? usualApprovalConfig
  const enforcement = await parseFile('enforcement.json', parseEnforcement)
  const pins = new Map<string, Pin>()
  for (const name of await noting(pinFiles(join(folder, 'pins')), [])) {
    const pin = await parseFile(`pins/${name}`, parsePin)
    if (pin) pins.set(pin.server, pin)
  }
  if (problems.length > 0) throw new PmlError('invalid_config', problems.join('\n'), { problems })
  return {
    servers: file?.servers,
    pins,
    routes,
    approvals,
    enforcement,
    ignored: file?.ignored ?? [],
    digests,
  }
}

type Parse<Value> = (text: string, file: string) => Value

async function pinFiles(folder: string): Promise<string[]> {
  const names = await unlessMissing(folder, readdir(folder))
  return (names ?? []).filter((name) => name.endsWith('.json')).toSorted()
}

async function readConfigFile(path: string): Promise<{ text: string; integrity: Integrity } | undefined> {
  const bytes = await unlessMissing(path, readFile(path))
  if (bytes === undefined) return undefined
  if (bytes.length > MOST_BYTES)
    throw new PmlError(
      'invalid_config',
      `Cannot read ${path}: expected at most ${MOST_BYTES} bytes, got ${bytes.length}`,
    )
  return { text: decode(bytes, path), integrity: integrityOf(bytes) }
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
