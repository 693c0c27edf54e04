import { PmlError } from '@pml/core'
import type { AgentName } from '@pml/hooks'
import { agentNames, agents, scopes, type AnyAgentName } from '@pml/hooks/agents'
import { z } from 'zod'

export const hookAgent = z.enum(agents.map(({ name }) => name)).describe('The coding agent')

/** The agent, if pml has a hook for it; otherwise throws why not and what to do instead. */
export function requireHooks(name: AnyAgentName): AgentName {
  const hooked = agentNames.find((one) => one === name)
  if (hooked !== undefined) return hooked
  const agent = agents.find((one) => one.name === name)
  const why = agent && 'none' in agent.hooks ? `: ${agent.hooks.none}` : ''
  const instead = agent?.gateway ? `; its MCP servers can be locked: run "pml client install ${name}"` : ''
  throw new PmlError('invalid_arguments', `There is no hook for ${agent?.title ?? name}${why}${instead}`)
}

export const hookScope = z
  .enum(scopes)
  .default('project')
  .describe('The settings of this project, or of this user')

/** The result of changing an agent's settings. */
export const hookChange = z.object({
  file: z.string(),
  result: z.enum(['written', 'removed', 'unchanged', 'declined', 'not written']),
  diff: z.string(),
  notes: z.array(z.string()),
})
