import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@pml/hooks'
import { parseSettings } from '../agent-servers.ts'
import { findSettingsText } from '../find-settings-text.ts'
import { objectOf } from '../launch.ts'
import { homeOf } from '../../machine/ops.ts'
import type { Call, OwnHeadless } from './headless.ts'

const tools = {
  read: 'read_file',
  write: 'write_file',
  edit: 'replace',
  shell: 'run_shell_command',
  subagent: 'invoke_agent',
}

/** The variable that moves its folder. */
const HOME = 'GEMINI_CLI_HOME'
/** What it reads of the person's folder beside the settings; credentials and sessions are not in it. */
const kept = ['trustedFolders.json', 'trusted_hooks.json', 'extensions', 'policies']

export const gemini: OwnHeadless = {
  name: 'gemini',
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
  alone: async ({ env, scratch }) => {
    await copyHome(join(env[HOME] || homeOf(env), '.gemini'), join(scratch, '.gemini'))
    // With this list no server is started that has another name.
    return { flags: ['--allowed-mcp-server-names', 'pml-none'], env: { [HOME]: scratch } }
  },
}

/** The settings decide how it logs in, and no variable or flag does. So it gets a copy of them that differs in this alone. */
async function copyHome(from: string, to: string): Promise<void> {
  const file = join(from, 'settings.json')
  const text = findSettingsText(file)
  const settings = text === undefined ? {} : await parseSettings(text, file)
  await mkdir(to, { mode: 0o700 })
  await writeFile(join(to, 'settings.json'), JSON.stringify(withDummyKey(settings)), { mode: 0o600 })
  for (const name of kept) if (existsSync(join(from, name))) await symlink(join(from, name), join(to, name))
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

function nameOf(call: Call): string {
  return call.kind === 'mcp' ? `mcp_${call.server}_${call.tool}` : tools[call.kind]
}

function inputOf(call: Call, project: string): Record<string, unknown> {
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
