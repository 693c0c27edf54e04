import { join } from 'node:path'
import type { OwnHeadless, ScriptedCall } from '../../description/headless.ts'
import type { JsonObject } from '../../event.ts'

const tools = { read: 'view', write: 'create', edit: 'edit', shell: 'bash', subagent: 'task' }

export const headless: OwnHeadless = {
  program: 'copilot',
  start: ({ modelUrl, prompt, isYolo, flags }) => ({
    args: ['-p', prompt, '--no-auto-update', isYolo ? '--yolo' : '--allow-all-tools', ...flags],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    },
  }),
  use: (call, project) => ({ tool: nameOf(call), input: inputOf(call, project) }),
  variables: ['COPILOT_HOME'],
  alone: ({ servers }) => ({
    flags: ['--disable-builtin-mcps', ...servers.map((name) => `--disable-mcp-server=${name}`)],
    env: {},
  }),
}

function nameOf(call: ScriptedCall): string {
  return call.kind === 'mcp' ? `${call.server}-${call.tool}` : tools[call.kind]
}

function inputOf(call: ScriptedCall, project: string): JsonObject {
  switch (call.kind) {
    case 'read':
      return { path: join(project, call.path) }
    case 'write':
      return { path: join(project, call.path), file_text: call.content }
    case 'edit':
      return { path: join(project, call.path), old_str: call.before, new_str: call.after }
    case 'shell':
      return { command: call.command, description: 'scripted' }
    case 'mcp':
      return call.input
    case 'subagent':
      return { name: 'scripted', description: 'scripted', agent_type: 'general-purpose', prompt: call.prompt }
  }
}
