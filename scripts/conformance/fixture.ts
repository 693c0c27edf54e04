import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../packages/tools/test/mcp/conformance-server.ts', import.meta.url))

export interface Fixture {
  readonly url: string
  stop(): Promise<void>
}

/** Starts the server under test in its own process, on a free port of this machine. */
export async function startFixture(nodePath: string): Promise<Fixture> {
  const child = spawn(nodePath, ['--conditions=pml-source', '--import', 'tsx', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const url = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line)),
    exited.then(([code]) => {
      throw new Error(`Cannot start the server under test: it exited with ${code}`)
    }),
  ])
  return {
    url,
    stop: async () => {
      child.kill()
      await exited
    },
  }
}
