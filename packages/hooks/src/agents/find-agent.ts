import { hasHooks, type Agent, type AgentHooks, type HookedAgent } from '../description/agent.ts'
import type { Adapter } from '../events/adapter.ts'
import { list } from './list.ts'

type Listed = (typeof list)[number]

/** Every agent in the list. */
export type AnyAgentName = Listed['name']
/** An agent whose hooks pml answers. */
export type AgentName = Extract<Listed, { readonly hooks: AgentHooks }>['name']

export const agents: readonly Agent<AnyAgentName>[] = list
export const hookedAgents = agents.filter(hasHooks) as readonly HookedAgent<AgentName>[]
export const agentNames: readonly AgentName[] = hookedAgents.map(({ name }) => name)

/** Throws if no agent with hooks has this name; user input is checked earlier. */
export function agentOf(name: string): HookedAgent<AgentName> {
  const agent = hookedAgents.find((one) => one.name === name)
  if (agent === undefined) throw new TypeError(`There is no agent ${name}`)
  return agent
}

export function findAdapter(name: string): Adapter | undefined {
  return hookedAgents.find((one) => one.name === name)?.hooks.events
}
