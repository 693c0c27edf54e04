import { agents, type AnyAgentName, type GatewaySettings } from '@pml/hooks/agents'

const clients = agents.flatMap(({ name, gateway }) => (gateway ? [{ name, gateway }] : []))

/** Agents to whose settings pml can add the gateway. */
export const clientNames: readonly AnyAgentName[] = clients.map(({ name }) => name)

export function gatewayOf(client: AnyAgentName): GatewaySettings {
  const found = clients.find(({ name }) => name === client)
  if (found === undefined) throw new TypeError(`${client} is no client of the gateway`)
  return found.gateway
}
