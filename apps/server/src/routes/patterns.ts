import { newPattern, nothingAsked, patternAdded, patternList, suggestionList } from '@pml/core/schemas'
import type { Hono } from 'hono'
import { addPattern } from '../patterns/add-pattern.ts'
import { listPatterns } from '../patterns/list-patterns.ts'
import { removePattern } from '../patterns/remove-pattern.ts'
import { readSuggestions } from '../report/read-suggestions.ts'
import { answer, bodyFails, describeRoutes, inPath, json, named } from '../docs/describe.ts'
import { readerOf, writerOf, writerWith } from '../http/caller.ts'
import type { Env } from '../http/observe-requests.ts'
import type { AppDeps } from './app-deps.ts'
import { bodyOf, queryOf } from './read-request.ts'

export function addPatterns(app: Hono<Env>, deps: AppDeps): void {
  const { db, approvals, learning } = deps
  app.post('/approvals/patterns', docs.addPattern, async (c) => {
    const actor = await writerWith(deps, c, 'pattern')
    return c.json(
      await addPattern(approvals, actor, await bodyOf(deps, c, { schema: newPattern, actor })),
      201,
    )
  })
  app.get('/approvals/patterns', docs.listPatterns, async (c) =>
    c.json(await listPatterns(db, await readerOf(deps, c))),
  )
  app.delete('/approvals/patterns/:id', docs.removePattern, async (c) => {
    await removePattern(approvals, await writerOf(deps, c), c.req.param('id'))
    return c.body(null, 204)
  })
  app.get('/approvals/suggestions', docs.suggestPatterns, async (c) => {
    queryOf(c, nothingAsked, 'suggest patterns')
    return c.json(await readSuggestions(learning, await readerOf(deps, c)))
  })
}

const precise = {
  kind: 'approve',
  type: 'test',
  pattern: String.raw`^expect\(.*\)\.rejects\.toThrow\(['"].*['"]\);?$`,
  reason: 'Expects a specific error',
  example: "expect(init()).rejects.toThrow('not configured')",
}

const docs = describeRoutes('Patterns', {
  addPattern: {
    summary: 'Add a pattern',
    description:
      'An approve pattern must match every line that is not blank; a block pattern matches anywhere and beats every approval.',
    access: { scope: 'pattern' },
    body: json(named('NewPattern', newPattern), precise),
    responses: { 201: answer(named('PatternAdded', patternAdded), 'The pattern') },
    fails: [...bodyFails, 409],
  },
  listPatterns: {
    summary: 'List patterns',
    description: 'With the number of uses of each.',
    access: { scope: 'hook|approve|pattern' },
    responses: { 200: answer(named('PatternList', patternList), 'All patterns') },
  },
  removePattern: {
    summary: 'Remove a pattern',
    access: { scope: 'pattern' },
    parameters: [inPath('id', 'The id of a pattern', 'pat_0123456789abcdef')],
    responses: { 204: { description: 'The pattern is removed' } },
    fails: [404],
  },
  suggestPatterns: {
    summary: 'Suggest patterns',
    description: 'Patterns that would have covered many earlier approvals. None is added automatically.',
    access: { scope: 'approve' },
    responses: {
      200: answer(named('SuggestionList', suggestionList), 'Those with the most approvals first'),
    },
    fails: [400],
  },
})
