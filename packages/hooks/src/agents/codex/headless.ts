import type { OwnHeadless, ScriptedCall, ToolUse } from '../../description/headless.ts'

export const headless: OwnHeadless = {
  program: 'codex',
  start: ({ modelUrl, prompt, isYolo, flags }) => ({
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      ...setting('model', '"gpt-5.5"'),
      ...setting('model_provider', '"scripted"'),
      ...setting('model_providers.scripted', providerAt(modelUrl)),
      ...setting('analytics.enabled', 'false'),
      ...setting('check_for_update_on_startup', 'false'),
      // Containers seldom allow the sandbox of Codex, and the sandbox is not under test.
      ...(isYolo ? ['--dangerously-bypass-approvals-and-sandbox'] : ['--sandbox', 'danger-full-access']),
      ...flags,
      prompt,
    ],
    env: { SCRIPTED_KEY: 'dummy' },
  }),
  use: (call) => useOf(call),
  variables: ['CODEX_HOME'],
  alone: ({ servers }) => ({
    flags: [
      '--ephemeral',
      // Credentials in memory only: the ones on disk are not used.
      ...setting('cli_auth_credentials_store', '"ephemeral"'),
      ...setting('notify', '[]'),
      // Only a server with this name would be started.
      ...servers
        .filter((name) => /^[\w-]+$/.test(name))
        .flatMap((name) => setting(`mcp_servers.${name}.enabled`, 'false')),
    ],
    env: {},
  }),
}

/** A flag that overrides one setting for this run. */
export function setting(key: string, value: string): string[] {
  return ['-c', `${key}=${value}`]
}

function providerAt(url: string): string {
  const once = 'request_max_retries=1,stream_max_retries=1'
  return `{name="scripted",base_url="${url}/v1",env_key="SCRIPTED_KEY",wire_api="responses",${once}}`
}

function useOf(call: ScriptedCall): ToolUse {
  switch (call.kind) {
    case 'read':
      return shell(`cat ${call.path}`)
    case 'shell':
      return shell(call.command)
    case 'write':
      return patch([`*** Add File: ${call.path}`, ...linesOf(call.content, '+')])
    case 'edit':
      return patch([
        `*** Update File: ${call.path}`,
        '@@',
        ...linesOf(call.before, '-'),
        ...linesOf(call.after, '+'),
      ])
    case 'mcp':
      return { tool: call.tool, input: call.input, namespace: `mcp__${call.server}` }
    case 'subagent':
      return {
        tool: 'spawn_agent',
        input: { task_name: 'scripted', message: call.prompt, fork_turns: 'none' },
        namespace: 'collaboration',
      }
  }
}

function shell(cmd: string): ToolUse {
  return { tool: 'exec_command', input: { cmd } }
}

function patch(lines: readonly string[]): ToolUse {
  return { tool: 'apply_patch', input: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n') }
}

function linesOf(text: string, mark: string): string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${mark}${line}`)
}
