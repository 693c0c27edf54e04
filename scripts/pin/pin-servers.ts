import pLimit from 'p-limit'
import { diffPins, samePin } from '@pml/core/pins'
import type { Choice } from './choose-servers.ts'
import { pinFile, readPin, writePin } from './pin-files.ts'
import { pinServer, type PinWorld } from './pin-server.ts'
import type { PinResult } from './result.ts'

export interface PinOrder {
  readonly choices: readonly Choice[]
  readonly configDir: string
  readonly concurrency: number
}

/** Pins each server on its own: a failure affects only that one. Results are in the order of the choices. */
export async function pinServers(order: PinOrder, world: PinWorld): Promise<PinResult[]> {
  const limit = pLimit(order.concurrency)
  return Promise.all(order.choices.map((choice) => limit(() => pinOne(choice, { ...order, world }))))
}

async function pinOne(choice: Choice, at: { configDir: string; world: PinWorld }): Promise<PinResult> {
  const result = await repin(choice, at).catch((error: unknown): PinResult => {
    const reason = error instanceof Error ? error.message : String(error)
    return { server: choice.config.server, outcome: 'failed', reason }
  })
  at.world.progress.done(result)
  return result
}

async function repin(
  { config, wanted }: Choice,
  { configDir, world }: { configDir: string; world: PinWorld },
): Promise<PinResult> {
  const { server } = config
  world.npm.signal.throwIfAborted()
  if (wanted === undefined)
    throw new Error('its command line names no package of a registry, so there is nothing to pin')
  const file = pinFile(configDir, server)
  const previous = await readPin(file)
  const pin = await pinServer({ config, wanted, previous }, world)
  if (previous !== undefined && samePin(previous, pin))
    return { server, outcome: 'unchanged', version: pin.version }
  await writePin(file, pin)
  return { server, outcome: 'changed', diff: diffPins(previous, pin) }
}
