// The server under test of the official conformance suite: its fixture tools, as far as our tools can implement them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { PmlError } from '@pml/core'
import { createToolbox, defineTool, ToolRegistry } from '@pml/tools'
import { findForeign } from '@pml/tools/http'
import { createMcpEndpoint } from '@pml/tools/mcp'
import { z } from 'zod'

const nothing = z.object({})
const text = z.object({ text: z.string() })

const answers: Record<string, () => z.infer<typeof text>> = {
  test_simple_text: () => ({ text: 'This is a simple text response for testing.' }),
  test_error_handling: () => {
    throw new PmlError('not_found', 'This tool intentionally returns an error for testing')
  },
  // Never logs and never asks, as the suite expects.
  test_logging_tool: () => ({ text: 'done' }),
  test_streaming_elicitation: () => ({ text: 'done' }),
}

const registry = new ToolRegistry<object>()
for (const [name, run] of Object.entries(answers)) {
  registry.register(
    defineTool<object, typeof nothing, typeof text>({
      name,
      description: 'Part of the conformance suite.',
      input: nothing,
      output: text,
      effect: 'read',
      run,
    }),
  )
}

const toolbox = createToolbox(registry, {
  findRefusal: () => undefined,
  onRefusal: () => {},
  begin: () => ({}),
  explain: () => new PmlError('internal_error', 'Cannot finish because of a fault here'),
})
const endpoint = createMcpEndpoint(toolbox, {
  info: { name: 'conformance', version: '1.0.0' },
  onFault: (fault) => void process.stderr.write(`${String(fault)}\n`),
})

const server = createServer(
  getRequestListener(
    (request) => {
      const foreign = findForeign(request.headers, { allowedHosts: [] })
      return foreign ? Response.json(foreign, { status: foreign.status }) : endpoint.fetch(request, undefined)
    },
    { overrideGlobalObjects: false },
  ),
)
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`)
})
