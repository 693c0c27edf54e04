// Starts the given number of servers concurrently, initializes each and lists its tools; then exits without waiting for them.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [, , script, count] = process.argv

await Promise.all(
  Array.from({ length: Number(count) }, async () => {
    const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [script, 'stdio'],
      stderr: 'ignore',
    })
    await client.connect(transport)
    await client.listTools()
  }),
)
process.exit(0)
