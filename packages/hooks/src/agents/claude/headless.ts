import { join } from 'node:path'
import type { OwnHeadless, ScriptedCall } from '../../description/headless.ts'
import type { JsonObject } from '../../event.ts'

const tools = { read: 'Read', write: 'Write', edit: 'Edit', shell: 'Bash', subagent: 'Agent' }

export const headless: OwnHeadless = {
  program: 'claude',
  start: ({ modelUrl, prompt, isYolo, flags }) => ({
    args: [
      '-p',
      prompt,
      '--output-format',
      'stream-json',
      '--verbose',
      ...(isYolo ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'acceptEdits']),
      ...flags,
    ],
    env: {
      ...keyAt(modelUrl),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // Lists MCP tools up front instead of searching for them later.
      ENABLE_TOOL_SEARCH: 'false',
    },
  }),
  use: (call, project) => ({ tool: nameOf(call), input: inputOf(call, project) }),
  // CLAUDE_CODE_SIMPLE makes it run without hooks.
  variables: ['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_SIMPLE'],
  alone: ({ modelUrl }) => {
    // Variables in settings files override the process environment but not these.
    const env = {
      ...keyAt(modelUrl),
      ANTHROPIC_AUTH_TOKEN: '',
      CLAUDE_CODE_USE_BEDROCK: '',
      CLAUDE_CODE_USE_VERTEX: '',
      CLAUDE_CODE_USE_FOUNDRY: '',
    }
    const settings = JSON.stringify({ env })
    return { flags: ['--strict-mcp-config', '--no-session-persistence', '--settings', settings], env: {} }
  },
}

function keyAt(modelUrl: string) {
  return { ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'sk-dummy' }
}

function nameOf(call: ScriptedCall): string {
  return call.kind === 'mcp' ? `mcp__${call.server}__${call.tool}` : tools[call.kind]
}

function inputOf(call: ScriptedCall, project: string): JsonObject {
  switch (call.kind) {
    case 'read':
      return { file_path: join(project, call.path) }
    case 'write':
      return { file_path: join(project, call.path), content: call.content }
    case 'edit':
      return { file_path: join(project, call.path), old_string: call.before, new_string: call.after }
    case 'shell':
      return { command: call.command, description: 'scripted' }
    case 'mcp':
      return call.input
    case 'subagent':
      return { description: 'scripted', prompt: call.prompt, subagent_type: 'general-purpose' }
  }
}
