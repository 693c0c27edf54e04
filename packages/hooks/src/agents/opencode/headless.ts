import { join } from 'node:path'
import type { OwnHeadless, ScriptedCall } from '../../description/headless.ts'
import type { JsonObject } from '../../event.ts'

const tools = { read: 'read', write: 'write', edit: 'edit', shell: 'bash', subagent: 'task' }

export const headless: OwnHeadless = {
  program: 'opencode',
  start: ({ modelUrl, prompt, flags }) => ({
    args: ['run', '--model', 'scripted/scripted', ...flags, prompt],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: contentFor(modelUrl, []),
    },
  }),
  use: (call, project) => ({ tool: nameOf(call), input: inputOf(call, project) }),
  variables: ['XDG_CONFIG_HOME', 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_PURE'],
  alone: ({ modelUrl, servers, scratch }) => ({
    flags: [],
    env: {
      // opencode keeps credentials and sessions below these folders.
      XDG_DATA_HOME: join(scratch, 'data'),
      XDG_STATE_HOME: join(scratch, 'state'),
      OPENCODE_CONFIG_CONTENT: contentFor(modelUrl, servers),
    },
  }),
}

/** Settings that override those in files. */
function contentFor(modelUrl: string, servers: readonly string[]): string {
  const off = servers.map((name) => [name, { enabled: false }])
  return JSON.stringify({
    provider: { scripted: providerAt(modelUrl) },
    autoupdate: false,
    share: 'disabled',
    mcp: Object.fromEntries(off),
  })
}

function providerAt(url: string): JsonObject {
  return {
    npm: '@ai-sdk/openai-compatible',
    name: 'scripted',
    options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
    models: { scripted: { name: 'scripted', tool_call: true } },
  }
}

function nameOf(call: ScriptedCall): string {
  return call.kind === 'mcp' ? `${call.server}_${call.tool}` : tools[call.kind]
}

function inputOf(call: ScriptedCall, project: string): JsonObject {
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
