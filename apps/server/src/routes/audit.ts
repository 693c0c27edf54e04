import {
  approvalReport,
  auditHeadAnswer,
  auditKeyAnswer,
  auditPage,
  auditQuery,
  flagList,
  reportQuery,
} from '@pml/core/schemas'
import type { Hono } from 'hono'
import { readFlags } from '../report/read-flags.ts'
import { readReport } from '../report/read-report.ts'
import { exportAudit } from '../audit/export-audit.ts'
import { showLogKey } from '../audit/log-key.ts'
import { searchAudit, SEARCHING } from '../audit/search-audit.ts'
import { showHead } from '../audit/show-head.ts'
import { answer, describeRoutes, inQuery, named, text } from '../docs/describe.ts'
import { onClose, readerOf } from '../http/caller.ts'
import { lineStream } from '../wire/line-stream.ts'
import type { Env } from '../http/observe-requests.ts'
import { unkept } from '../wire/json-answer.ts'
import type { AppDeps } from './app-deps.ts'
import { queryOf } from './read-request.ts'

export function addAudit(app: Hono<Env>, deps: AppDeps): void {
  addLog(app, deps)
  addReports(app, deps)
}

function addLog(app: Hono<Env>, deps: AppDeps): void {
  const { db, audit, log } = deps
  app.get('/audit', docs.searchAudit, async (c) => {
    const query = queryOf(c, auditQuery, SEARCHING)
    return c.json(await searchAudit(db, await readerOf(deps, c), query), 200, unkept)
  })
  app.get('/audit/head', docs.getAuditHead, async (c) =>
    c.json(await showHead(db, audit.signer, await readerOf(deps, c)), 200, unkept),
  )
  app.get('/audit/key', docs.getAuditKey, async (c) => {
    c.header('Cache-Control', 'no-cache')
    return c.json(await showLogKey(db, audit.signer))
  })
  app.get('/audit/export', docs.exportAudit, async (c) => {
    const actor = await readerOf(deps, c)
    const lines = await exportAudit(db, audit.signer, actor)
    const leaveSeat = deps.seats.exports.take(actor.id, () => {})
    onClose(c, leaveSeat)
    return lineStream(lines, (err) => {
      log.error({ requestId: c.get('requestId'), err }, 'an export was cut off')
      c.env.incoming.socket.destroy()
    })
  })
}

function addReports(app: Hono<Env>, deps: AppDeps): void {
  const { db, learning } = deps
  app.get('/audit/report', docs.getReport, async (c) => {
    const query = queryOf(c, reportQuery, 'report')
    return c.json(await readReport(learning, await readerOf(deps, c), query))
  })
  app.get('/audit/flags', docs.listFlags, async (c) => {
    const query = queryOf(c, reportQuery, 'report')
    return c.json(await readFlags(db, await readerOf(deps, c), query))
  })
}

const access = { scope: 'approve' }

const docs = describeRoutes('Audit', {
  searchAudit: {
    summary: 'Search the audit log',
    description: 'Newest first.',
    access,
    parameters: inQuery(auditQuery, { action: 'key.create', since: '2026-01-31T12:00:00Z', limit: 10 }),
    responses: { 200: answer(named('AuditPage', auditPage), 'A page of events') },
    fails: [400],
  },
  getAuditHead: {
    summary: 'Get the head of the audit log',
    description: 'Keep it elsewhere: it proves later that no event before it was removed or changed.',
    access,
    responses: { 200: answer(named('AuditHead', auditHeadAnswer), 'The head') },
  },
  getAuditKey: {
    summary: 'Get the public key of the audit log',
    description: 'Heads, checkpoints and exports are signed with it.',
    access: 'none',
    responses: { 200: answer(named('AuditKey', auditKeyAnswer), 'The key') },
    fails: [429, 503],
  },
  exportAudit: {
    summary: 'Export the audit log',
    description:
      'Everything needed to verify the log without a registry: a header line, a line for each event, and a final line.',
    access,
    responses: {
      200: { description: 'Lines of JSON', content: { 'application/x-ndjson': { schema: text } } },
    },
  },
  getReport: {
    summary: 'Report decisions',
    description:
      'Numbers, durations, specialists and reasons of decisions, use of patterns, and flags to review.',
    access,
    parameters: inQuery(reportQuery, { days: 7 }),
    responses: { 200: answer(named('ApprovalReport', approvalReport), 'The report') },
    fails: [400],
  },
  listFlags: {
    summary: 'List suspicious behaviour',
    description: 'With the evidence.',
    access,
    parameters: inQuery(reportQuery, { days: 7 }),
    responses: { 200: answer(named('FlagList', flagList), 'The most serious first') },
    fails: [400],
  },
})
