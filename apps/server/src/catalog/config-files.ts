import { constants, type Stats } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
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
import { parseEnforcement, type Enforcement } from '../hooks/parse-enforcement.ts'

interface ConfigFiles {
  /** Undefined if there is no file; nothing changes then. */
  readonly servers: readonly ServerConfig[] | undefined
  readonly pins: ReadonlyMap<string, Pin>
  readonly routes: RoutingRules
  readonly approvals: ApprovalConfig
  /** Undefined if there is no file; hooks over HTTP then block everything. */
  readonly enforcement: Enforcement | undefined
  /** Messages about settings without effect. */
  readonly ignored: readonly string[]
  /** The text of each file in force. */
  readonly texts: Readonly<Record<string, string>>
  /** Messages about missing files. */
  readonly missing: readonly string[]
}

const MOST_BYTES = 8 * 1024 * 1024

/**
 * Reads the whole configuration; throws one error that lists all problems. For a missing file it uses the last text
 * from `kept`, because the loss of a file must not loosen any rule.
 */
export async function readConfigFiles(
  folder: string,
  kept: ReadonlyMap<string, string>,
): Promise<ConfigFiles> {
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
  const texts: Record<string, string> = {}
  const missing: string[] = []
  const parseFile = <Value>(file: string, parse: Parse<Value>): Promise<Value | undefined> =>
    noting(
      readConfigFile(join(folder, file)).then((found) => {
        const text = found ?? kept.get(file)
        if (text === undefined) return undefined
        if (found === undefined)
          missing.push(
            `Cannot read ${join(folder, file)}: it is missing; its last good content stays in force`,
          )
        texts[file] = text
        return parse(text, join(folder, file))
      }),
      undefined,
    )
  const file = await parseFile('mcp-servers.json', parseServerConfig)
  const routes = (await parseFile('mcp-routing.json', parseRoutingConfig)) ?? noRoutingRules
  const approvals = await parseFile('approvals.json', parseApprovalConfig)
  if (texts['approvals.json'] === undefined)
    missing.push(
      `Cannot read ${join(folder, 'approvals.json')}: it is missing; the built-in rules are in force`,
    )
  const enforcement = await parseFile('enforcement.json', parseEnforcement)
  const pins = new Map<string, Pin>()
  const isConfigured = (pin: string) =>
    file?.servers.some(({ server }) => pin === `pins/${server}.json`) ?? true
  const keptPins = [...kept.keys()].filter((name) => name.startsWith('pins/') && isConfigured(name))
  for (const name of new Set([...(await noting(pinFiles(folder), [])), ...keptPins])) {
    const pin = await parseFile(name, parsePin)
    if (pin) pins.set(pin.server, pin)
  }
  if (problems.length > 0) throw new PmlError('invalid_config', problems.join('\n'), { problems })
  return {
    servers: file?.servers,
    pins,
    routes,
    approvals: approvals ?? usualApprovalConfig,
    enforcement,
    ignored: file?.ignored ?? [],
    texts,
    missing,
  }
}

type Parse<Value> = (text: string, file: string) => Value

async function pinFiles(folder: string): Promise<string[]> {
  const pins = join(folder, 'pins')
  const names = (await unlessMissing(pins, readdir(pins))) ?? []
  return names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => `pins/${name}`)
}

async function readConfigFile(path: string): Promise<string | undefined> {
  const bytes = await unlessMissing(path, readRegularFile(path))
  if (bytes === undefined) return undefined
  if (bytes.length > MOST_BYTES)
    throw new PmlError('invalid_config', `Cannot read ${path}: expected at most ${MOST_BYTES} bytes`)
  return decode(bytes, path)
}

/** Reads at most one byte over the limit. Refuses FIFOs and devices, which could block or never end. */
async function readRegularFile(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile())
      throw new PmlError(
        'invalid_config',
        `Cannot read ${path}: it is ${kindOf(stats)}; put a regular file there`,
      )
    const buffer = Buffer.allocUnsafe(Math.min(stats.size, MOST_BYTES) + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length > stats.size && length <= MOST_BYTES)
      throw new PmlError('invalid_config', `Cannot read ${path}: it grew during the read`)
    return buffer.subarray(0, length)
  } finally {
    await file.close()
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory'
  if (stats.isFIFO()) return 'a named pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
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
    if (error instanceof PmlError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT') return undefined
    const why =
      {
        EISDIR: 'it is a directory',
        ENOTDIR: 'it is not a directory',
        EACCES: 'permission denied',
        // The error of opening a socket or an absent device.
        ENXIO: 'it is not a regular file',
      }[code] ?? code
    throw new PmlError('invalid_config', `Cannot read ${basename(path)} (${path}): ${why}`)
  }
}
