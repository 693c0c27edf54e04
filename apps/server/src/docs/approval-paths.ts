import {
  approval,
  approved,
  blockedChange,
  changeList,
  checked,
  contentToCheck,
  imported,
  newChange,
  newPattern,
  patternAdded,
  patternList,
  registryFile,
  rejected,
  rejection,
  shownChange,
  spending,
  spent,
} from '@pml/core/schemas'
import { fails, inPath, inQuery, json, ref, withKey } from './openapi-parts.ts'

export const approvalSchemas = {
  NewChange: newChange,
  BlockedChange: blockedChange,
  ChangeList: changeList,
  Change: shownChange,
  NewApproval: approval,
  Approved: approved,
  NewRejection: rejection,
  Rejected: rejected,
  ContentToCheck: contentToCheck,
  Checked: checked,
  Spending: spending,
  Spent: spent,
  NewPattern: newPattern,
  PatternAdded: patternAdded,
  PatternList: patternList,
  RegistryFile: registryFile,
  Imported: imported,
}

const text = { type: 'string' }
const changeId = inPath('id', 'The id of a change', 'chg_0123456789abcdef')
const patternId = inPath('id', 'The id of a pattern', 'pat_0123456789abcdef')
const body = (schema: keyof typeof approvalSchemas) => ({
  required: true,
  content: { 'application/json': { schema: ref(schema) } },
})
const writeFails = fails(400, 401, 403, 408, 413, 415, 422, 429, 503)

export const approvalPaths = {
  '/approvals/changes': {
    post: {
      summary: 'Store a change that a hook held back',
      security: withKey,
      requestBody: body('NewChange'),
      responses: {
        201: json(ref('BlockedChange'), 'It waits for a decision'),
        200: json(ref('BlockedChange'), 'The same content and path of the project wait already'),
        ...writeFails,
        ...fails(507),
      },
    },
    get: {
      summary: 'List changes, newest first',
      security: withKey,
      parameters: [
        inQuery(
          'status',
          { enum: ['blocked', 'approved', 'rejected', 'used', 'expired'] },
          'What became of it',
        ),
        inQuery('type', text, 'The kind of change, as in config/approvals.json'),
        inQuery('path', text, 'The file'),
        inQuery('project', text, 'The project that it was raised in'),
        inQuery('agent', text, 'Which agent asked'),
        inQuery('q', text, 'Words in path, tool and reason'),
        inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'Changes to a page'),
        inQuery('cursor', text, 'nextCursor of an earlier answer'),
      ],
      responses: { 200: json(ref('ChangeList'), 'A page of changes'), ...fails(400, 401, 403, 503) },
    },
  },
  '/approvals/changes/{id}': {
    get: {
      summary: 'One change, with its content',
      security: withKey,
      parameters: [
        changeId,
        inQuery('wait', { type: 'integer', minimum: 0, maximum: 60 }, 'Seconds to wait for a decision'),
      ],
      responses: { 200: json(ref('Change'), 'The change'), ...fails(400, 401, 403, 404, 503) },
    },
  },
  '/approvals/events': {
    get: {
      summary: 'Changes as they are blocked, approved, rejected and used, as server-sent events',
      security: withKey,
      parameters: [inQuery('after', { type: 'integer' }, 'The id of the last event that is known already')],
      responses: {
        200: { description: 'A stream', content: { 'text/event-stream': { schema: text } } },
        ...fails(400, 401, 403, 429, 503),
      },
    },
  },
  '/approvals/changes/{id}/approve': {
    post: {
      summary: 'Approve a change: its content, for its path in its project, once',
      security: withKey,
      parameters: [changeId],
      requestBody: body('NewApproval'),
      responses: {
        200: json(ref('Approved'), 'The token, shown only here'),
        ...writeFails,
        ...fails(404, 409),
      },
    },
  },
  '/approvals/changes/{id}/reject': {
    post: {
      summary: 'Reject a change, with what to learn from it',
      security: withKey,
      parameters: [changeId],
      requestBody: body('NewRejection'),
      responses: { 200: json(ref('Rejected'), 'It is rejected'), ...writeFails, ...fails(404, 409) },
    },
  },
  '/approvals/check': {
    get: {
      summary: 'Whether content may be written now, by its hash',
      security: withKey,
      parameters: [
        { ...inQuery('hash', text, 'sha256-<hex> of the content, byte for byte'), required: true },
        inQuery('path', text, 'The file; left out, whichever it is'),
        inQuery('project', text, 'The project that it is raised in; left out, the one without a name'),
      ],
      responses: { 200: json(ref('Checked'), 'Yes or no, and why'), ...fails(400, 401, 403, 503) },
    },
    post: {
      summary: 'Whether content may be written now',
      security: withKey,
      requestBody: body('ContentToCheck'),
      responses: {
        200: json(ref('Checked'), 'Yes or no, and why'),
        ...fails(400, 401, 403, 408, 413, 415, 422, 503),
      },
    },
  },
  '/approvals/spend': {
    post: {
      summary: 'Let approved content pass, once',
      security: withKey,
      requestBody: body('Spending'),
      responses: { 200: json(ref('Spent'), 'It may be written now'), ...writeFails, ...fails(409) },
    },
  },
  '/approvals/export': {
    get: {
      summary: 'Approvals, patterns and decisions in the form of the registry file of hooks',
      security: withKey,
      responses: { 200: json(ref('RegistryFile'), 'The file'), ...fails(401, 403, 429, 503) },
    },
  },
  '/approvals/import': {
    post: {
      summary: 'Bring in a registry file of hooks',
      security: withKey,
      requestBody: body('RegistryFile'),
      responses: { 200: json(ref('Imported'), 'What came in'), ...writeFails },
    },
  },
  '/approvals/patterns': {
    post: {
      summary: 'Add a pattern that approves or blocks contents to come',
      security: withKey,
      requestBody: body('NewPattern'),
      responses: { 201: json(ref('PatternAdded'), 'The pattern'), ...writeFails, ...fails(409) },
    },
    get: {
      summary: 'List patterns, with how often each was used',
      security: withKey,
      responses: { 200: json(ref('PatternList'), 'All patterns'), ...fails(401, 403, 503) },
    },
  },
  '/approvals/patterns/{id}': {
    delete: {
      summary: 'Remove a pattern',
      security: withKey,
      parameters: [patternId],
      responses: { 204: { description: 'Removed' }, ...fails(401, 403, 404, 429, 503) },
    },
  },
}
