import { isJsonObject, type JsonObject } from '@pml/hooks'
import { isGatewayLine } from '../machine/is-gateway.ts'

/** The name of the gateway in the settings of a client. */
export const GATEWAY = 'pml'

/** The settings of a client to edit. */
export interface Editing {
  /** The file name for messages. */
  readonly file: string
  /** The member with the servers by name. */
  readonly key: string
  /** Values for a new entry only: a person may change them later. */
  readonly whenNew?: JsonObject | undefined
}

/** Whether a server in the settings is the gateway. */
export function isGatewayEntry(server: unknown): boolean {
  if (!isJsonObject(server)) return false
  const { command, args } = server
  // Some clients have the whole command line in `command`.
  const line: unknown[] = [command, args].flat()
  return isGatewayLine(line.filter((word) => typeof word === 'string'))
}
