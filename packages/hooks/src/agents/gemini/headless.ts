import { join } from 'node:path'
import type { Alone, OwnHeadless, OwnMachine, ScriptedCall } from '../../description/headless.ts'
import { objectOf } from '../../description/mcp-settings.ts'
import type { JsonObject } from '../../event.ts'

const tools = {
  read: 'read_file',
  write: 'write_file',
  edit: 'replace',
  shell: 'run_shell_command',
  subagent: 'invoke_agent',
}

/** The variable that moves the home of Gemini CLI. */
const HOME = 'GEMINI_CLI_HOME'
/** What Gemini CLI reads beside its settings, without credentials and sessions. */
const kept = ['trustedFolders.json', 'trusted_hooks.json', 'extensions', 'policies']

export const headless: OwnHeadless = {
  program: 'gemini',
  start: ({ modelUrl, prompt, isYolo, flags }) => ({
    args: [
      '-p',
      prompt,
      '--output-format',
      'json',
      '-m',
      'gemini-2.5-pro',
      '--approval-mode',
      isYolo ? 'yolo' : 'auto_edit',
      ...flags,
    ],
    env: {
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_API_KEY: 'dummy',
      GEMINI_TELEMETRY_ENABLED: 'false',
    },
  }),
  use: (call, project) => ({ tool: nameOf(call), input: inputOf(call, project) }),
  variables: [
    'GEMINI_CLI_TRUST_WORKSPACE',
    'GEMINI_RESTRICTED_MODE',
    'GEMINI_CLI_TRUSTED_FOLDERS_PATH',
    'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
    'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
  ],
  alone: (machine) => ({
    // Only servers with this name are started: none.
    flags: ['--allowed-mcp-server-names', 'pml-none'],
    env: { [HOME]: machine.scratch },
    ...copyHome(machine),
  }),
}

/** Only settings choose the login, so Gemini CLI gets a copy of them with another login. */
function copyHome({ env, home, scratch, read }: OwnMachine): Pick<Alone, 'files' | 'links'> {
  const from = join(env[HOME] || home, '.gemini')
  const to = join(scratch, '.gemini')
  const settings = read(join(from, 'settings.json')) ?? {}
  return {
    files: [{ path: join(to, 'settings.json'), text: JSON.stringify(withDummyKey(settings)) }],
    links: kept.map((name) => ({ path: join(to, name), to: join(from, name) })),
  }
}

function withDummyKey(settings: JsonObject): JsonObject {
  const over = (key: string, more: JsonObject) => ({ [key]: { ...objectOf(settings[key]), ...more } })
  const { auth } = objectOf(settings['security'])
  return {
    ...settings,
    ...over('security', { auth: { ...objectOf(auth), selectedType: 'gemini-api-key' } }),
    ...over('general', { enableAutoUpdate: false, enableAutoUpdateNotification: false }),
    ...over('privacy', { usageStatisticsEnabled: false }),
    ...over('telemetry', { enabled: false }),
  }
}

function nameOf(call: ScriptedCall): string {
  return call.kind === 'mcp' ? `mcp_${call.server}_${call.tool}` : tools[call.kind]
}

function inputOf(call: ScriptedCall, project: string): JsonObject {
  switch (call.kind) {
    case 'read':
      return { file_path: join(project, call.path) }
    case 'write':
      return { file_path: join(project, call.path), content: call.content }
    case 'edit':
      return {
        file_path: join(project, call.path),
        instruction: 'scripted',
        old_string: call.before,
        new_string: call.after,
      }
    case 'shell':
      return { command: call.command, description: 'scripted' }
    case 'mcp':
      return call.input
    case 'subagent':
      return { agent_name: 'generalist', prompt: call.prompt }
  }
}
