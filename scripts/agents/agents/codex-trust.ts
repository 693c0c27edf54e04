import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Place } from '../place.ts'

interface Hook {
  readonly key: string
  readonly currentHash: string
  readonly trustStatus: string
}

/** Trusts every hook that Codex sees in the project, as a person does with `/hooks`. */
export async function trustCodexHooks({ installed, project, env }: Place): Promise<void> {
  const child = spawn(join(installed, 'node_modules', '.bin', 'codex'), ['app-server'], {
    cwd: project,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const closed = once(child, 'close')
  const waiting = new Map<number, (message: { result?: unknown }) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: number; result?: unknown }
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  const ask = async (method: string, params: object): Promise<unknown> => {
    const id = waiting.size + 1
    const answer = new Promise<{ result?: unknown }>((done) => waiting.set(id, done))
    send({ id, method, params })
    return (await Promise.race([answer, closed.then(() => ({ result: undefined }))])).result
  }
  const list = async (): Promise<Hook[]> => {
    const found = (await ask('hooks/list', { cwds: [project] })) as
      | { data?: { hooks?: Hook[] }[] }
      | undefined
    return found?.data?.[0]?.hooks ?? []
  }
  try {
    await ask('initialize', {
      clientInfo: { name: 'pml-agents', version: '1' },
      capabilities: { experimentalApi: true },
    })
    send({ method: 'initialized' })
    const state = (await list()).map(({ key, currentHash }) => [key, { trusted_hash: currentHash }])
    const edit = { keyPath: 'hooks.state', value: Object.fromEntries(state), mergeStrategy: 'upsert' }
    await ask('config/batchWrite', { edits: [edit], reloadUserConfig: true })
    const hooks = await list()
    if (hooks.length === 0 || hooks.some(({ trustStatus }) => trustStatus !== 'trusted'))
      throw new Error(`Cannot trust the hooks of Codex: it has ${JSON.stringify(hooks)}`)
  } finally {
    child.kill()
    await closed
  }
}
