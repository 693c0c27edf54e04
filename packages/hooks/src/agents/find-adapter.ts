import type { Adapter } from './adapter.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { windsurf } from './windsurf.ts'

const adapters: readonly Adapter[] = [claude, codex, copilot, cursor, gemini, windsurf]

export function findAdapter(name: string): Adapter | undefined {
  return adapters.find(({ agent }) => agent === name)
}
