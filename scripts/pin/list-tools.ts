import { Client, type RequestOptions, type StandardSchemaV1 } from '@modelcontextprotocol/client'
import { ServerProcess, type Kill, type ServerCommand } from './server-process.ts'

export interface ListOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly kill: Kill
}

export interface Listed {
  readonly name: string
}

interface Page {
  readonly tools: readonly Listed[]
  readonly nextCursor?: string
}

const MOST_PAGES = 100

/** Starts a server, asks for all pages of its tools, and leaves no process behind. */
export async function listTools(
  server: ServerCommand,
  { timeoutMs, signal, kill }: ListOptions,
): Promise<Listed[]> {
  const running = new ServerProcess(server, kill)
  const client = new Client({ name: 'pml-pin', version: '0.1.0' }, { versionNegotiation: { mode: 'legacy' } })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const options = { signal: limit, timeout: timeoutMs, maxTotalTimeout: timeoutMs }
  try {
    await client.connect(running, options)
    return await allPages(client, options)
  } catch (error) {
    throw new Error(`it did not list its tools: ${describe(error, running.lastWords)}`, { cause: error })
  } finally {
    await running.close()
  }
}

async function allPages(client: Client, options: RequestOptions): Promise<Listed[]> {
  const tools: Listed[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: 'tools/list', params }, wholePage, options)
    tools.push(...answer.tools)
    cursor = answer.nextCursor
    if (cursor === undefined) return tools
  }
  throw new Error(`expected at most ${MOST_PAGES} pages`)
}

/** The page as it came: the SDK's own schema drops members that it does not know, and a pin covers all of them. */
const wholePage: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'pml',
    validate: (value) =>
      isPage(value) ? { value } : { issues: [{ message: 'expected a list of named tools' }] },
  },
}

function isPage(value: unknown): value is Page {
  if (typeof value !== 'object' || value === null || !('tools' in value) || !Array.isArray(value.tools))
    return false
  if ('nextCursor' in value && typeof value.nextCursor !== 'string') return false
  return value.tools.every(
    (tool: unknown) =>
      typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string',
  )
}

function describe(error: unknown, lastWords: string): string {
  const reason = error instanceof Error ? error.message : String(error)
  const words = lastWords.split('\n').map((line) => line.trim())
  const useful = words.filter((line) => line !== '' && !/^(?:at |node:|Node\.js v|[{}^]+$)/.test(line))
  return useful.length === 0 ? reason : `${reason}; it said: ${useful.slice(-3).join(' ').slice(-300)}`
}
