import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomically } from '../machine/files/write-atomically.ts'
import { orAborted, startLimit } from '../machine/limit.ts'
import type { Kill } from '../machine/owned-process.ts'
import { LOOK_EVERY_MS, watchFiles } from '../servers/discover/watch-files.ts'
import { requireFolder } from '../workspace/workspace-files.ts'

/** The file by which other processes find a running gateway. */
interface GatewayFile {
  readonly pid: number
  readonly workspace: string
  readonly startedAt: string
}

interface Reloaded {
  readonly pid: number
  /** How many servers were added, changed or removed; undefined if the gateway did not reply. */
  readonly reloaded: number | undefined
}

/** How long a gateway may take to reply. */
export const REPLY_MS = 15_000
const requestPattern = /^(\d+)\.([0-9a-f-]{36})\.reload$/

/** Announces this gateway, so that other processes can make it reload. Returns a function that stops it. */
export async function announceGateway(
  folder: string,
  file: GatewayFile,
  reload: () => Promise<number>,
): Promise<() => Promise<void>> {
  await requireFolder(folder, 0o700)
  const own = join(folder, `${file.pid}.json`)
  await writeAtomically(own, `${JSON.stringify(file)}\n`, { mode: 0o600 })
  // Several requests may arrive at once; each gets its own reply.
  const answerAll = async () => {
    const requests = (await readdir(folder)).filter(
      (name) => requestPattern.exec(name)?.[1] === String(file.pid),
    )
    for (const request of requests) await rm(join(folder, request), { force: true })
    const reloaded = requests.length > 0 ? await reload() : 0
    for (const request of requests)
      await writeAtomically(
        replyOf(folder, requestPattern.exec(request)?.[2] ?? ''),
        JSON.stringify({ reloaded }),
        {
          mode: 0o600,
        },
      )
  }
  // A requester without a reply reports that itself.
  const stop = await watchFiles([folder], {
    lookEveryMs: LOOK_EVERY_MS,
    onChange: () => void answerAll().catch(() => undefined),
  })
  return async () => {
    await stop()
    await rm(own, { force: true })
  }
}

/** Makes every gateway of this workspace reload its files, and waits for the replies. */
export async function reloadGateways(
  folder: string,
  { workspace, kill, ...reply }: { workspace: string; kill: Kill; signal: AbortSignal; replyMs: number },
): Promise<Reloaded[]> {
  const all = await readGateways(folder, kill)
  const ours = all.filter((gateway) => gateway.workspace === workspace)
  return Promise.all(ours.map(({ pid }) => reloadOne(folder, pid, reply)))
}

/** Lists running gateways, and removes the files of dead ones. */
async function readGateways(folder: string, kill: Kill): Promise<GatewayFile[]> {
  const names = await readdir(folder).catch(() => [])
  const found: GatewayFile[] = []
  for (const name of names.filter((one) => /^\d+\.json$/.test(one))) {
    const path = join(folder, name)
    const gateway = parseGateway(await readFile(path, 'utf8').catch(() => ''))
    if (gateway !== undefined && name === `${gateway.pid}.json` && isAlive(gateway.pid, kill))
      found.push(gateway)
    else await rm(path, { force: true })
  }
  return found
}

/** Undefined for anything that a gateway did not write. */
function parseGateway(text: string): GatewayFile | undefined {
  try {
    const found = JSON.parse(text) as Partial<GatewayFile> | null
    return Number.isInteger(found?.pid) ? (found as GatewayFile) : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number, kill: Kill): boolean {
  try {
    return kill(pid, 0)
  } catch {
    return false
  }
}

async function reloadOne(
  folder: string,
  pid: number,
  { signal, replyMs }: { signal: AbortSignal; replyMs: number },
): Promise<Reloaded> {
  const id = randomUUID()
  const reply = replyOf(folder, id)
  const limit = startLimit(signal, replyMs)
  let noteReply = () => {}
  const replied = new Promise<void>((done) => (noteReply = done))
  const stop = await watchFiles([reply], { lookEveryMs: LOOK_EVERY_MS, onChange: () => noteReply() })
  try {
    await writeAtomically(join(folder, `${pid}.${id}.reload`), '', { mode: 0o600 })
    await orAborted(limit.signal, replied).catch(() => undefined)
    const text = await readFile(reply, 'utf8').catch(() => '{}')
    return { pid, reloaded: (JSON.parse(text) as { reloaded?: number }).reloaded }
  } finally {
    limit.clear()
    await stop()
    await rm(reply, { force: true })
  }
}

function replyOf(folder: string, id: string): string {
  return join(folder, `${id}.reply`)
}
