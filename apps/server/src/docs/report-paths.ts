import {
  approvalReport,
  flagList,
  LONGEST_REPORT_DAYS,
  suggestionList,
  USUAL_REPORT_DAYS,
} from '@pml/core/schemas'
import { fails, inQuery, json, ref, withKey } from './openapi-parts.ts'

export const reportSchemas = {
  ApprovalReport: approvalReport,
  FlagList: flagList,
  SuggestionList: suggestionList,
}

const reportDays = inQuery(
  'days',
  { type: 'integer', minimum: 1, maximum: LONGEST_REPORT_DAYS, default: USUAL_REPORT_DAYS },
  'How many days to look back',
)
export const reportPaths = {
  '/audit/report': {
    get: {
      summary: 'Decisions, how long they took and why, patterns, and what a person should look at',
      description: 'Needs approve.',
      security: withKey,
      parameters: [reportDays],
      responses: { 200: json(ref('ApprovalReport'), 'As of one moment'), ...fails(400, 401, 403, 429, 503) },
    },
  },
  '/audit/flags': {
    get: {
      summary: 'Suspicious behaviour, with the evidence',
      description: 'Needs approve.',
      security: withKey,
      parameters: [reportDays],
      responses: { 200: json(ref('FlagList'), 'The worst first'), ...fails(400, 401, 403, 429, 503) },
    },
  },
  '/approvals/suggestions': {
    get: {
      summary: 'Patterns that the approvals so far speak for',
      description: 'None of them is added by itself. Needs approve.',
      security: withKey,
      responses: {
        200: json(ref('SuggestionList'), 'Those with the most approvals first'),
        ...fails(400, 401, 403, 429, 503),
      },
    },
  },
}
