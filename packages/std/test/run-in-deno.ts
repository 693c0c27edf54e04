import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Outcome } from './case.ts'

export type Permissions = Readonly<Record<string, readonly string[]>>

export interface Call {
  readonly url: string
  readonly args: unknown
}

const deno = join(dirname(createRequire(import.meta.url).resolve('deno/package.json')), 'bin.cjs')

/**
 * Makes all calls in one Deno process that has these permissions and no others. `.` is the working directory, `*` only
 * the host of the test server.
 */
export async function runInDeno(
  calls: readonly Call[],
  { permissions, cwd, host }: { permissions: Permissions; cwd: string; host: string },
): Promise<Outcome[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'pml-std-deno-'))
  try {
    const main = join(scratch, 'main.js')
    await writeFile(main, mainOf([...new Set(calls.map((call) => call.url))]))
    const allowed = Object.entries(permissions).map(
      ([kind, values]) =>
        `--allow-${kind}=${values.map((value) => (value === '*' ? host : value)).join(',')}`,
    )
    const flags = [
      '--quiet',
      '--no-prompt',
      '--no-remote',
      '--no-npm',
      '--no-config',
      '--no-lock',
      ...allowed,
    ]
    return JSON.parse(await run(['run', ...flags, main], cwd, JSON.stringify(calls)))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Imports are static: a dynamic one would need permission to read the tool's file. */
function mainOf(urls: readonly string[]): string {
  const imports = urls.map((url, index) => `import tool${index} from ${JSON.stringify(url)}\n`)
  const entries = urls.map((url, index) => `[${JSON.stringify(url)}, tool${index}]`)
  return `${imports.join('')}
const tools = new Map([${entries.join(', ')}])
const outcomes = []
for (const { url, args } of await new Response(Deno.stdin.readable).json()) {
  try {
    outcomes.push({ result: await tools.get(url)(args) })
  } catch (error) {
    const names = []
    for (let cause = error; cause instanceof Error; cause = cause.cause) names.push(cause.name)
    outcomes.push({ error: { message: error.message, names } })
  }
}
await new Response(JSON.stringify(outcomes)).body.pipeTo(Deno.stdout.writable)
`
}

async function run(args: readonly string[], cwd: string, input: string): Promise<string> {
  const child = spawn(process.execPath, [deno, ...args], { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  const exit = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  child.stdin.end(input)
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  if (code !== 0) throw new Error(`Cannot run Deno: exit ${code}\n${errors}`)
  return output
}
