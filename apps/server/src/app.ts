import { PmlError } from '@pml/core'
import { Hono } from 'hono'
import { errorAnswer } from './wire/error-response.ts'
import { allowedMethods, corsPreflight } from './http/methods.ts'
import { observeRequests, send, type Env } from './http/observe-requests.ts'
import type { AppDeps } from './routes/app-deps.ts'
import { addApprovals } from './routes/approvals.ts'
import { addAudit } from './routes/audit.ts'
import { addCatalog } from './routes/catalog.ts'
import { addHooks } from './routes/hooks.ts'
import { addKeys } from './routes/keys.ts'
import { addOperations } from './routes/operations.ts'
import { addPatterns } from './routes/patterns.ts'
import { addProxy } from './routes/proxy.ts'
import { addPublishing } from './routes/publishing.ts'
import { addTools } from './routes/tools.ts'

/** The table of contents of the API. */
export function createApp(deps: AppDeps): Hono<Env> {
  const app = new Hono<Env>()
  app.use(observeRequests(deps))
  app.options('*', corsPreflight)

  addCatalog(app, deps) //    /mcp, /blobs, /api/registry
  addPublishing(app, deps) // /mcp/:reference
  addApprovals(app, deps) //  /approvals
  addPatterns(app, deps) //   /approvals/patterns, /approvals/suggestions
  addAudit(app, deps) //      /audit
  addKeys(app, deps) //       /keys
  addHooks(app, deps) //      /hooks
  addTools(app, deps) //      /tools, POST /mcp
  addProxy(app, deps) //      /proxy
  addOperations(app, deps) // /healthz, /readyz, /metrics, /openapi.json, /docs

  addRefusals(app, deps)
  return app
}

/** Handles errors, wrong methods and unknown paths. */
function addRefusals(app: Hono<Env>, { log }: AppDeps): void {
  app.onError((error, c) => send(c, errorAnswer(error, { log, requestId: c.get('requestId') })))
  for (const [path, allow] of allowedMethods(app)) {
    app.all(path, (c) => {
      throw new PmlError('method_not_allowed', `Cannot ${c.req.method} ${path}: expected ${allow}`, { allow })
    })
  }
  app.notFound((c) => {
    const error = new PmlError('not_found', `There is nothing at ${c.req.path.slice(0, 100)}; see /docs`)
    return send(c, errorAnswer(error, { log, requestId: c.get('requestId') }))
  })
}
