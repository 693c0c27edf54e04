import {
  approval,
  approved,
  blockedChange,
  changeList,
  changeQuery,
  checked,
  checkQuery,
  contentToCheck,
  eventsQuery,
  imported,
  newChange,
  registryFile,
  rejected,
  rejection,
  shownChange,
  spending,
  spent,
  waitQuery,
} from '@pml/core/schemas'
import type { Context, Hono } from 'hono'
import { approveChange } from '../changes/approve-change.ts'
import { blockChange } from '../changes/block-change.ts'
import { checkApproval } from '../changes/check-approval.ts'
import { decisionStream } from '../changes/decision-stream.ts'
import { exportRegistry } from '../changes/export-registry.ts'
import { importRegistry } from '../changes/import-registry.ts'
import { listChanges } from '../changes/list-changes.ts'
import { rejectChange } from '../changes/reject-change.ts'
import { spendApproval } from '../changes/spend-approval.ts'
import { waitForDecision } from '../changes/wait-for-decision.ts'
import { answer, bodyFails, describeRoutes, inPath, inQuery, json, named, text } from '../docs/describe.ts'
import { readerOf, writerOf, writerWith } from '../http/caller.ts'
import { send, type Env } from '../http/observe-requests.ts'
import { parseQuery } from '../wire/parse-query.ts'
import { jsonAnswer, unkept } from '../wire/json-answer.ts'
import { requireScope } from '../keys/actor.ts'
import type { AppDeps } from './app-deps.ts'
import { bodyOf, queryOf, searchParamsOf } from './read-request.ts'

/** Limits of an imported file; an export of the registry fits. */
const importLimits = { limitBytes: 16 * 1024 * 1024, mostValues: 500_000 }

export function addApprovals(app: Hono<Env>, deps: AppDeps): void {
  addChanges(app, deps)
  addDecisions(app, deps)
  addChecks(app, deps)
  addRegistryFile(app, deps)
}

/** Blocked changes: storing, listing, showing and following them. */
function addChanges(app: Hono<Env>, deps: AppDeps): void {
  const { db, approvals, audit } = deps
  app.post('/approvals/changes', docs.blockChange, async (c) => {
    const actor = await writerWith(deps, c, 'hook')
    const change = await bodyOf(deps, c, { schema: newChange, actor })
    const { isNew, ...blocked } = await blockChange(approvals, actor, change)
    return c.json(blocked, isNew ? 201 : 200)
  })
  app.get('/approvals/changes', docs.listChanges, async (c) => {
    const actor = await readerOf(deps, c)
    return c.json(await listChanges(db, actor, queryOf(c, changeQuery, 'list changes')))
  })
  app.get('/approvals/changes/:id', docs.getChange, async (c) => {
    const actor = await readerOf(deps, c)
    const { wait: waitSeconds } = queryOf(c, waitQuery, 'wait')
    const { signal } = c.req.raw
    return c.json(await waitForDecision(deps, actor, { id: c.req.param('id'), waitSeconds, signal }))
  })
  app.get('/approvals/events', docs.followChanges, async (c) => {
    const { after } = parseQuery(eventsQuery, eventsParameters(c), 'follow events')
    const actor = await readerOf(deps, c)
    const headers = { ...unkept, 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }
    const stream = decisionStream({ audit, seats: approvals.streams }, actor, after)
    if (c.req.method !== 'HEAD') return c.body(stream, 200, headers)
    // A HEAD request does not read the stream, so nothing else would end it.
    await stream.cancel()
    return c.body(null, 200, headers)
  })
}

function addDecisions(app: Hono<Env>, deps: AppDeps): void {
  const { approvals } = deps
  app.post('/approvals/changes/:id/approve', docs.approveChange, async (c) => {
    const actor = await writerWith(deps, c, 'approve')
    const request = await bodyOf(deps, c, { schema: approval, actor })
    return c.json(await approveChange(approvals, actor, { id: c.req.param('id'), request }), 200, unkept)
  })
  app.post('/approvals/changes/:id/reject', docs.rejectChange, async (c) => {
    const actor = await writerWith(deps, c, 'approve')
    const request = await bodyOf(deps, c, { schema: rejection, actor })
    return c.json(await rejectChange(approvals, actor, { id: c.req.param('id'), request }))
  })
}

/** Adds the routes that check and spend approvals. A check changes nothing; spending uses up the approval. */
function addChecks(app: Hono<Env>, deps: AppDeps): void {
  const { approvals } = deps
  app.get('/approvals/check', docs.checkHash, async (c) => {
    const actor = await readerOf(deps, c)
    const { hash, ...place } = queryOf(c, checkQuery, 'check content')
    return send(c, jsonAnswer(await checkApproval(approvals, actor, { contentHash: hash, ...place })))
  })
  app.post('/approvals/check', docs.checkContent, async (c) => {
    const actor = await readerOf(deps, c)
    requireScope(actor, 'hook|approve')
    const content = await bodyOf(deps, c, { schema: contentToCheck, actor })
    return send(c, jsonAnswer(await checkApproval(approvals, actor, content)))
  })
  app.post('/approvals/spend', docs.spendApproval, async (c) => {
    const actor = await writerWith(deps, c, 'hook')
    const request = await bodyOf(deps, c, { schema: spending, actor })
    return send(c, jsonAnswer(await spendApproval(approvals, actor, request)))
  })
}

/** Adds export and import of the hooks' registry file. */
function addRegistryFile(app: Hono<Env>, deps: AppDeps): void {
  app.get('/approvals/export', docs.exportApprovals, async (c) =>
    c.json(await exportRegistry(deps.db, await writerOf(deps, c)), 200, unkept),
  )
  app.post('/approvals/import', docs.importApprovals, async (c) => {
    const actor = await writerWith(deps, c, 'admin')
    const file = await bodyOf(deps, c, { schema: registryFile, actor, ...importLimits })
    return c.json(await importRegistry(deps.approvals, actor, file))
  })
}

/** Reads the parameters; clients of server-sent events send the last event id in a header. */
function eventsParameters(c: Context): URLSearchParams {
  const parameters = searchParamsOf(c)
  const last = c.req.header('last-event-id')
  if (last !== undefined) parameters.set('after', last)
  return parameters
}

const changeId = inPath('id', 'The id of a change', 'chg_0123456789abcdef')
const content = "expect(init()).rejects.toThrow('not configured')\n"
const place = { path: 'src/app.test.ts', project: 'acme/app' }
const hash = `sha256-${'0'.repeat(64)}`

const docs = describeRoutes('Approvals', {
  blockChange: {
    summary: 'Store a blocked change',
    description: 'Called by a hook that blocked a write. The change waits for a review.',
    access: { scope: 'hook' },
    body: json(named('NewChange', newChange), { tool: 'Write', ...place, content, agent: 'claude' }),
    responses: {
      201: answer(named('BlockedChange', blockedChange), 'The change waits for a review'),
      200: answer(
        named('BlockedChange', blockedChange),
        'A change with this content, path and project was already waiting',
      ),
    },
    fails: [...bodyFails, 507],
  },
  listChanges: {
    summary: 'List changes',
    description: 'Newest first.',
    access: { scope: 'hook|approve' },
    parameters: inQuery(changeQuery, { status: 'blocked', type: 'test', limit: 10 }),
    responses: { 200: answer(named('ChangeList', changeList), 'A page of changes') },
    fails: [400],
  },
  getChange: {
    summary: 'Get a change, with its content',
    description: 'With `wait`, the response comes as soon as the change is decided.',
    access: { scope: 'hook|approve' },
    parameters: [changeId, ...inQuery(waitQuery, { wait: 0 })],
    responses: { 200: answer(named('Change', shownChange), 'The change') },
    fails: [400, 404],
  },
  followChanges: {
    summary: 'Follow changes as server-sent events',
    description: 'An event for each change that is blocked, approved, rejected or used.',
    access: { scope: 'hook|approve' },
    parameters: inQuery(eventsQuery, { after: 0 }),
    responses: {
      200: { description: 'A stream of events', content: { 'text/event-stream': { schema: text } } },
    },
    fails: [400],
  },
  approveChange: {
    summary: 'Approve a change',
    description:
      'Approves exactly this content for its path in its project, once. The specialist is that of the key. A key that asked for the change cannot approve it.',
    access: { scope: 'approve' },
    parameters: [changeId],
    body: json(named('NewApproval', approval), { reason: 'A precise assertion about missing settings' }),
    responses: { 200: answer(named('Approved', approved), 'The token. It is shown only in this response.') },
    fails: [...bodyFails, 404, 409],
  },
  rejectChange: {
    summary: 'Reject a change',
    description: 'The agent gets `education` and `suggestion` with the refusal of its next attempt.',
    access: { scope: 'approve' },
    parameters: [changeId],
    body: json(named('NewRejection', rejection), {
      reason: 'The assertion passes on any error',
      education: 'A test must fail when the behaviour is wrong.',
      suggestion: "expect(init()).rejects.toThrow('not configured')",
    }),
    responses: { 200: answer(named('Rejected', rejected), 'The change is rejected') },
    fails: [...bodyFails, 404, 409],
  },
  checkHash: {
    summary: 'Check content by its hash',
    description: 'Reports whether content may be written now, and why. Nothing is used up.',
    access: { scope: 'hook|approve' },
    parameters: inQuery(checkQuery, { hash, ...place }),
    responses: { 200: answer(named('Checked', checked), 'Whether the content may be written, and why') },
    fails: [400],
  },
  checkContent: {
    summary: 'Check content',
    description: 'Reports whether content may be written now, and why. Nothing is used up.',
    access: { scope: 'hook|approve' },
    body: json(named('ContentToCheck', contentToCheck), { content, ...place }),
    responses: { 200: answer(named('Checked', checked), 'Whether the content may be written, and why') },
    fails: bodyFails,
  },
  spendApproval: {
    summary: 'Use up an approval',
    description: 'Called by a hook before it lets approved content pass.',
    access: { scope: 'hook' },
    body: json(named('Spending', spending), { content, ...place, agent: 'claude' }),
    responses: { 200: answer(named('Spent', spent), 'The content may be written now') },
    fails: [...bodyFails, 409],
  },
  exportApprovals: {
    summary: 'Export approvals and patterns',
    description: 'In the form of the registry file that hooks kept before there was a registry.',
    access: { scope: 'approve' },
    responses: { 200: answer(named('RegistryFile', registryFile), 'The file') },
  },
  importApprovals: {
    summary: 'Import a registry file',
    description: 'Takes over its patterns, its approvals that are neither used nor expired, and its log.',
    access: { scope: 'admin' },
    body: json(named('RegistryFile', registryFile), { version: '1.0' }),
    responses: { 200: answer(named('Imported', imported), 'What was imported') },
    fails: bodyFails,
  },
})
