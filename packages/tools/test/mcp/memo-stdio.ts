// A program that serves memos on its own stdio, for tests that start a real process.
import { serveOverStdio } from '@pml/tools/mcp'
import { info } from './memo-server.ts'
import { createMemoTools } from './memo-tools.ts'

const { toolbox, waits } = createMemoTools()
const connection = serveOverStdio(
  toolbox,
  { scopes: ['admin'] },
  {
    info,
    instructions: 'Write memos.',
    maxBodyBytes: 10_000,
    onFault: (fault) => void process.stderr.write(`fault: ${String(fault)}\n`),
    input: process.stdin,
    output: process.stdout,
  },
)
const tellOfAborts = async (): Promise<never> => {
  for (;;) {
    const signal = await waits.next()
    process.stderr.write('waiting\n')
    signal.addEventListener('abort', () => void process.stderr.write('told to stop\n'))
  }
}
void tellOfAborts()
await connection.closed
process.stderr.write('closed\n')
