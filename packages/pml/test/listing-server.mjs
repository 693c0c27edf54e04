// An MCP server that lists the current content of `listing.json` in its folder.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const listing = () => JSON.parse(readFileSync('listing.json', 'utf8'))
const answers = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'listing', version: '1' },
    instructions: listing().instructions,
  }),
  'tools/list': () => ({ tools: listing().tools }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const body = answer ? { result: answer({ params }) } : { error: { code: -32601, message: `no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
}
