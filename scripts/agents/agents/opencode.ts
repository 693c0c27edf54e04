import { join } from 'node:path'
import { platformPackage } from '../install.ts'
import type { Call } from '../../../packages/pml/src/agents/live/headless.ts'
import { changeJson } from '../place.ts'
import type { Agent } from './agent.ts'

const tools = { read: 'read', write: 'write', edit: 'edit', shell: 'bash', subagent: 'task' }
const noHook = 'its only gate is a plugin in its own process (`tool.execute.before`), and pml has none for it'

export const opencode: Agent = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  limits: { hooks: noHook, dialog: 'it does not announce one to MCP servers' },
  hookFile: '',
  blockedBy: () => '',
  asked: 'pml continue',
  prepare: ({ home }) =>
    changeJson(settingsIn(home), (settings) => ({ ...settings, autoupdate: false, share: 'disabled' })),
  trustHooks: async () => {},
  addServer: ({ home }, { name, command }) =>
    changeJson(settingsIn(home), (settings) => {
      const servers = settings['mcp'] as object | undefined
      return { ...settings, mcp: { ...servers, [name]: { type: 'local', command, enabled: true } } }
    }),
  headless: {
    name: 'opencode',
    start: ({ modelUrl, prompt, flags }) => ({
      args: ['run', '--model', 'scripted/scripted', ...flags, prompt],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { scripted: providerAt(modelUrl) } }),
      },
    }),
    use: (call, project) => ({ tool: nameOf(call), input: inputOf(call, project) }),
  },
  program: (installed) => platformPackage(installed, 'opencode-', join('bin', 'opencode')),
  flags: () => [],
  env: {},
}

function settingsIn(home: string): string {
  return join(home, '.config', 'opencode', 'opencode.json')
}

function providerAt(url: string): object {
  return {
    npm: '@ai-sdk/openai-compatible',
    name: 'scripted',
    options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
    models: { scripted: { name: 'scripted', tool_call: true } },
  }
}

function nameOf(call: Call): string {
  return call.kind === 'mcp' ? `${call.server}_${call.tool}` : tools[call.kind]
}

function inputOf(call: Call, project: string): Record<string, unknown> {
  switch (call.kind) {
    case 'read':
      return { filePath: join(project, call.path) }
    case 'write':
      return { filePath: join(project, call.path), content: call.content }
    case 'edit':
      return { filePath: join(project, call.path), oldString: call.before, newString: call.after }
    case 'shell':
      return { command: call.command, description: 'scripted' }
    case 'mcp':
      return call.input
    case 'subagent':
      return { description: 'scripted', prompt: call.prompt, subagent_type: 'general' }
  }
}
