import { eventsKept, soughtApproval } from '@pml/core/schemas'
import { agentNames } from '@pml/hooks'
import { enforcementEvents, wantedApprovals } from '../hooks/hook-bodies.ts'
import { fails, inPath, json, ref, withKey } from './openapi-parts.ts'

export const hookSchemas = {
  EnforcementEvents: enforcementEvents,
  EventsKept: eventsKept,
  WantedApprovals: wantedApprovals,
  SoughtApproval: soughtApproval,
}

const agent = inPath('agent', `One of ${agentNames.join(', ')}`, String(agentNames[0]))

export const hookPaths = {
  '/hooks/{agent}': {
    post: {
      summary: 'Decide about a call of a coding agent, for its http hook',
      description:
        'The body is the event as the agent sends it, the answer is what the agent understands. Whatever goes wrong once the key was found good is a refusal in that form, with 200: agents let a call through when a hook fails. Needs hook.',
      security: withKey,
      parameters: [agent],
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        200: json({ type: 'object' }, 'A refusal, or nothing where the registry stays out'),
        ...fails(401, 403, 404, 413, 415),
      },
    },
  },
  '/hooks/events': {
    post: {
      summary: 'Tell the audit log what a hook did',
      description:
        'In the order given, all of them or none. An id that was sent before is known, and kept once. Needs hook.',
      security: withKey,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: ref('EnforcementEvents') } },
      },
      responses: {
        200: json(ref('EventsKept'), 'They are in the audit log'),
        ...fails(400, 401, 403, 408, 413, 415, 422, 429, 503),
      },
    },
  },
  '/hooks/approvals': {
    post: {
      summary: 'Spend the approvals that a call needs, or keep its changes for somebody to decide about',
      description:
        'All of them are spent, or none. What is not approved is kept as a change, and the answer says who is to be asked and what a reviewer taught. Both are written to the audit log with the rule. Needs hook.',
      security: withKey,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: ref('WantedApprovals') } },
      },
      responses: {
        200: json(ref('SoughtApproval'), 'Whether the call may pass'),
        ...fails(400, 401, 403, 408, 413, 415, 422, 429, 503, 507),
      },
    },
  },
}
