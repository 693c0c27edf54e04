import { isJsonObject, type JsonObject } from '@pml/hooks'
import { isGatewayLine } from '../machine/is-gateway.ts'

/** What the gateway is called in the settings of a client. */
export const GATEWAY = 'pml'

/** The settings of a client that are to have the gateway, or not. */
export interface Editing {
  /** For messages. */
  readonly file: string
  /** The member that has servers by their names. */
  readonly key: string
  /** What only a new entry gets: a person may decide otherwise later. */
  readonly whenNew?: JsonObject | undefined
}

/** Whether a server of a client's settings is the gateway, whoever wrote it. */
export function isGatewayEntry(server: unknown): boolean {
  if (!isJsonObject(server)) return false
  const { command, args } = server
  // Some clients have the whole line in `command`.
  const line: unknown[] = [command, args].flat()
  return isGatewayLine(line.filter((word) => typeof word === 'string'))
}
