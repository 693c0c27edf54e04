import { enforcementEvents, eventsKept } from '@pml/core/schemas'
import { fails, json, ref, withKey } from './openapi-parts.ts'

export const hookSchemas = { EnforcementEvents: enforcementEvents, EventsKept: eventsKept }

export const hookPaths = {
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
        ...fails(400, 401, 403, 413, 415, 422, 429, 503),
      },
    },
  },
}
