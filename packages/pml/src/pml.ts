import type { ContinueWorkflow, Pml, PmlOptions } from './api/pml.ts'
import { limitsOf } from './calls/call-parts.ts'
import { callTool } from './calls/call-tool.ts'
import { openClient, type Client } from './calls/open-client.ts'
import { fetchEntry } from './registry/fetch-entry.ts'
import { resolveReference } from './registry/resolve-reference.ts'
import { cacheHomeOf, processOps, type Ops } from './machine/ops.ts'
import type { Given } from './machine/person/person.ts'
import { continueWorkflow } from './calls/continue-workflow.ts'

export async function openPml({ registry, apiKey, tell, env, ...options }: PmlOptions = {}): Promise<Pml> {
  const own = processOps(env)
  const ops: Ops = {
    ...own,
    env: {
      ...own.env,
      ...(registry !== undefined && { PML_REGISTRY_URL: registry }),
      ...(apiKey !== undefined && { PML_API_KEY: apiKey }),
    },
    cacheHome: cacheHomeOf({ ...own.env, ...env }, own.platform),
    tell: tell ?? own.tell,
  }
  return pmlOf(await openClient(ops, options))
}

function pmlOf(client: Client): Pml {
  const answer: Pml['continueWorkflow'] = (given, options) =>
    continueWorkflow(client, { ...given, given: placeOf(given) }, limitsOf(options))
  return {
    workspace: client.files.root,
    fetch: async (text, { continueWorkflow: given } = {}) => {
      if (given) return answer(given)
      const reference = await resolveReference(client, text)
      return fetchEntry(client, reference, { operation: { kind: 'fetch', reference: text } })
    },
    call: (tool, args = {}, options) => callTool(client, { tool, args, ...limitsOf(options) }),
    continueWorkflow: answer,
    pending: () => client.approvals.list(),
    close: () => client.close(),
  }
}

function placeOf({ dialog }: ContinueWorkflow): Given {
  return dialog === undefined ? { by: 'terminal' } : { by: 'dialog', client: dialog }
}
