import type { Adapter } from '../events/adapter.ts'
import { claude } from './claude/events.ts'
import { codex } from './codex/events.ts'
import { copilot } from './copilot/events.ts'
import { cursor } from './cursor/events.ts'
import { gemini } from './gemini/events.ts'
import { windsurf } from './windsurf/events.ts'

const adapters: readonly Adapter[] = [claude, codex, copilot, cursor, gemini, windsurf]

export function findAdapter(name: string): Adapter | undefined {
  return adapters.find(({ agent }) => agent === name)
}
