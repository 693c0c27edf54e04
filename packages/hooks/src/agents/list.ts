import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'
import { copilot } from './copilot/index.ts'
import { cursor } from './cursor/index.ts'
import { gemini } from './gemini/index.ts'
import { opencode } from './opencode/index.ts'
import { vscode } from './vscode/index.ts'
import { windsurf } from './windsurf/index.ts'

/**
 * The coding agents that pml knows. Each is a folder here and a line in this list; everything else derives from it.
 */
export const list = [claude, codex, copilot, cursor, gemini, opencode, vscode, windsurf] as const
