import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { headless, setting } from '../../../packages/hooks/src/agents/codex/headless.ts'
import type { Agent } from './agent.ts'
import { findFile, NOBODY, putFile } from '../place.ts'
import { trustCodexHooks } from './codex-trust.ts'

export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  version: '0.169.0',
  limits: {
    dialog: '`codex exec` announces one and declines it by itself',
    'folder trust in files': '`pml hooks doctor` asks Codex itself',
  },
  hookFile: '.codex/hooks.json',
  blockedBy: ({ kind }) => `${kind === 'mcp' ? 'Tool call' : 'Command'} blocked by PreToolUse hook: `,
  asked: 'pml continue',
  prepare: async ({ home, project }) => {
    await mkdir(join(home, '.codex'), { recursive: true })
    const trusted = `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`
    await appendFile(join(home, '.codex', 'config.toml'), trusted)
  },
  trustHooks: trustCodexHooks,
  // Without `required` a turn may begin before the server has listed its tools.
  addServer: ({ home }, { name, command: [command, ...args] }) =>
    appendFile(
      join(home, '.codex', 'config.toml'),
      `\n[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nrequired = true\n`,
    ),
  headless,
  program: (installed) => join(installed, 'node_modules', '.bin', 'codex'),
  flags: () => setting('features.multi_agent_v2', 'true'),
  env: {},
  useOwnModel: async ({ home }) => {
    const file = join(home, '.codex', 'config.toml')
    const theirs = `[model_providers.theirs]\nname = "theirs"\nbase_url = "${NOBODY}"\n`
    await putFile(file, `model_provider = "theirs"\n${await findFile(file)}\n${theirs}`)
    await putFile(join(home, '.codex', 'auth.json'), '{"OPENAI_API_KEY":"s3cr3t"}')
  },
  // Codex skips untrusted hooks.
  skipHooks: async () => {},
}
