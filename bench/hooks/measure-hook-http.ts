import type { Bench } from '../bench.ts'
import type { LoadRequest } from '../load/load-order.ts'
import { againstBare } from '../peers/against-bare.ts'
import { startRegistry, type Registry } from '../registry/start-registry.ts'
import { newKey } from './new-key.ts'

const NAME = 'hook-http'

/** An ordinary write of Claude Code, which the registry's own policy allows. */
export async function measureHookHttp(bench: Bench): Promise<void> {
  if (!bench.wanted.has(NAME)) return
  bench.tell('starting a registry with the policy that comes with it')
  const registry = await startRegistry(bench.stops, { configFiles: ['enforcement.json'] })
  await againstBare(bench, registry, { name: NAME, request: await writeBy(registry), status: 200 })
}

async function writeBy(registry: Registry): Promise<LoadRequest> {
  const content = 'export function add(a: number, b: number): number {\n  return a + b\n}\n'.repeat(8)
  const event = {
    session_id: 'bench',
    transcript_path: '/home/someone/.claude/projects/project/bench.jsonl',
    cwd: '/home/someone/project',
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: { file_path: '/home/someone/project/src/add.ts', content },
    tool_use_id: 'toolu_bench',
  }
  const headers = {
    Authorization: `Bearer ${await newKey(registry, { scopes: ['hook'] })}`,
    'Content-Type': 'application/json',
    'X-Request-Id': 'bench',
  }
  return { path: '/hooks/claude', headers, body: JSON.stringify(event) }
}
