import { chmod, cp, lstat, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentNames, type AgentName } from '@pml/hooks'
import { parse } from 'jsonc-parser'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHookedProject, type HookedProject } from '../../test/hooked-project.ts'
import { runPml } from '../../test/pml-process.ts'
import { hasTerminal, runOnTerminal } from '../../test/terminal.ts'
import { openPerson } from '../machine/person/person.ts'
import { processOps, type Ops } from '../machine/ops.ts'
import type { CommandContext } from '../commands/command.ts'
import { installHooks } from './install-hooks.ts'

let project: HookedProject
beforeEach(async () => {
  project = await makeHookedProject()
})
afterEach(() => project.remove())

const saidToCopilot = `printf '%s\\n' '{"permissionDecision":"deny","permissionDecisionReason":"BLOCKED::HOOK_FAILED\\nACTION::Ask your person to run: pml hooks doctor --agent copilot\\npml itself failed. Nothing was judged, so this was refused."}'; `

/** The line as it stands in JSON, for a file that is found in the project. */
function lineOf(agent: AgentName, start: string): string {
  const file = `${start}node_modules/@pml-registry/pml/bin/pml.js`
  const line =
    `pml_block() { printf '%s\\n' BLOCKED::HOOK_FAILED 'ACTION::Ask your person to run: pml hooks doctor --agent ${agent}' ` +
    `"pml itself $1. Nothing was judged, so this was refused." >&2; ${agent === 'copilot' ? saidToCopilot : ''}exit 2; }; ` +
    'pml_end() { kill -STOP "$@"; ' +
    'pml_more=$(pgrep -P "$(IFS=,; echo "$*")" || for pml_one; do cat /proc/$pml_one/task/*/children; done); ' +
    '[ -z "$pml_more" ] || pml_end $pml_more; kill -9 "$@"; }; ' +
    `[ -f ${file} ] || pml_block "is not at "${file}; ` +
    '(exec 3<&0) 2>/dev/null || pml_block "got no standard input"; ' +
    `exec 3<&0; node ${file} hook --agent ${agent} <&3 3<&- & pml=$!; ` +
    '(PATH=$PATH:/usr/bin:/bin; sleep 25 & trap "kill $!" TERM; wait $! && pml_end $pml) >/dev/null 2>&1 3<&- & pml_limit=$!; ' +
    'wait $pml 2>/dev/null; pml_exit=$?; kill $pml_limit 2>/dev/null; case $pml_exit in 0|2) exit $pml_exit;; esac; ' +
    'wait $pml_limit 2>/dev/null && pml_block "took longer than 25 s"; pml_block "failed with code $pml_exit"'
  return JSON.stringify(line)
}

interface Golden {
  readonly file: string
  readonly before: string
  readonly after: string
}

const goldens: Partial<Record<AgentName, Golden>> = {
  claude: {
    file: '.claude/settings.json',
    before: `{
  // How we work
  "model": "opus", // the best
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "theirs.sh" }] } // theirs
    ]
  },
  "permissions": { "deny": ["Read(.env)"] }
}
`,
    after: `{
  // How we work
  "model": "opus", // the best
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "theirs.sh" }] }, // theirs
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": ${lineOf('claude', '"$CLAUDE_PROJECT_DIR"/')},
            "timeout": 30,
            "onFailure": "block"
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "^(?!(?:Read|Glob|Grep|LS|Write|Edit|MultiEdit|NotebookEdit|TodoWrite|WebSearch|WebFetch|Task|Agent|AskUserQuestion|ToolSearch)$)",
        "hooks": [
          {
            "type": "command",
            "command": ${lineOf('claude', '"$CLAUDE_PROJECT_DIR"/')},
            "timeout": 30,
            "onFailure": "block"
          }
        ]
      }
    ],
    "PostToolUseFailure": [
      {
        "matcher": "^(?!(?:Read|Glob|Grep|LS|Write|Edit|MultiEdit|NotebookEdit|TodoWrite|WebSearch|WebFetch|Task|Agent|AskUserQuestion|ToolSearch)$)",
        "hooks": [
          {
            "type": "command",
            "command": ${lineOf('claude', '"$CLAUDE_PROJECT_DIR"/')},
            "timeout": 30,
            "onFailure": "block"
          }
        ]
      }
    ],
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": ${lineOf('claude', '"$CLAUDE_PROJECT_DIR"/')},
            "timeout": 30,
            "onFailure": "block"
          }
        ]
      }
    ],
    "ConfigChange": [
      {
        "hooks": [
          {
            "type": "command",
            "command": ${lineOf('claude', '"$CLAUDE_PROJECT_DIR"/')},
            "timeout": 30,
            "onFailure": "block"
          }
        ]
      }
    ]
  },
  "permissions": { "deny": ["Read(.env)"] }
}
`,
  },
  copilot: {
    file: '.github/hooks/pml.json',
    before: '',
    after: `{
  "version": 1,
  "hooks": {
    "preToolUse": [
      {
        "type": "command",
        "bash": ${lineOf('copilot', '')},
        "powershell": "& 'node' 'node_modules/@pml-registry/pml/bin/pml.js' hook --agent copilot; if ($LASTEXITCODE -ne 0) { exit 2 }",
        "timeoutSec": 30
      }
    ],
    "postToolUse": [
      {
        "type": "command",
        "bash": ${lineOf('copilot', '')},
        "powershell": "& 'node' 'node_modules/@pml-registry/pml/bin/pml.js' hook --agent copilot; if ($LASTEXITCODE -ne 0) { exit 2 }",
        "timeoutSec": 30
      }
    ],
    "sessionStart": [
      {
        "type": "command",
        "bash": ${lineOf('copilot', '')},
        "powershell": "& 'node' 'node_modules/@pml-registry/pml/bin/pml.js' hook --agent copilot; if ($LASTEXITCODE -ne 0) { exit 2 }",
        "timeoutSec": 30
      }
    ]
  }
}
`,
  },
  cursor: {
    file: '.cursor/hooks.json',
    before: `{
\t"version": 1,
\t"hooks": {
\t\t"afterFileEdit": [{ "command": "./format.sh" }], // tidy
\t\t"preToolUse": [
\t\t\t{ "command": "./theirs.sh" },
\t\t],
\t},
}
`,
    after: `{
\t"version": 1,
\t"hooks": {
\t\t"afterFileEdit": [{ "command": "./format.sh" }], // tidy
\t\t"preToolUse": [
\t\t\t{ "command": "./theirs.sh" },
\t\t\t{
\t\t\t\t"command": ${lineOf('cursor', '')},
\t\t\t\t"failClosed": true
\t\t\t},
\t\t],
\t\t"beforeShellExecution": [
\t\t\t{
\t\t\t\t"command": ${lineOf('cursor', '')},
\t\t\t\t"failClosed": true
\t\t\t}
\t\t],
\t\t"beforeMCPExecution": [
\t\t\t{
\t\t\t\t"command": ${lineOf('cursor', '')},
\t\t\t\t"failClosed": true
\t\t\t}
\t\t],
\t\t"afterShellExecution": [
\t\t\t{
\t\t\t\t"command": ${lineOf('cursor', '')}
\t\t\t}
\t\t],
\t\t"afterMCPExecution": [
\t\t\t{
\t\t\t\t"command": ${lineOf('cursor', '')}
\t\t\t}
\t\t],
\t\t"postToolUse": [
\t\t\t{
\t\t\t\t"command": ${lineOf('cursor', '')}
\t\t\t}
\t\t],
\t\t"sessionStart": [
\t\t\t{
\t\t\t\t"command": ${lineOf('cursor', '')}
\t\t\t}
\t\t],
\t},
}
`,
  },
  gemini: {
    file: '.gemini/settings.json',
    before: `{
    "theme": "GitHub", // light
    "mcpServers": {
        "db": { "command": "npx" }
    }
}
`,
    after: `{
    "theme": "GitHub", // light
    "mcpServers": {
        "db": { "command": "npx" }
    },
    "hooks": {
        "BeforeTool": [
            {
                "matcher": ".*",
                "hooks": [
                    {
                        "name": "pml",
                        "type": "command",
                        "command": ${lineOf('gemini', '"$GEMINI_PROJECT_DIR"/')},
                        "timeout": 30000
                    }
                ]
            }
        ],
        "AfterTool": [
            {
                "matcher": ".*",
                "hooks": [
                    {
                        "name": "pml",
                        "type": "command",
                        "command": ${lineOf('gemini', '"$GEMINI_PROJECT_DIR"/')},
                        "timeout": 30000
                    }
                ]
            }
        ],
        "SessionStart": [
            {
                "hooks": [
                    {
                        "name": "pml",
                        "type": "command",
                        "command": ${lineOf('gemini', '"$GEMINI_PROJECT_DIR"/')},
                        "timeout": 30000
                    }
                ]
            }
        ]
    }
}
`,
  },
  windsurf: {
    file: '.windsurf/hooks.json',
    before: `{
  "hooks": {
    // theirs
    "pre_run_command": [{ "command": "python3 guard.py", "show_output": false }]
  }
}
`,
    after: `{
  "hooks": {
    // theirs
    "pre_run_command": [{ "command": "python3 guard.py", "show_output": false }, {"command":${lineOf('windsurf', '')},"show_output":true}],
    "pre_write_code": [
      {
        "command": ${lineOf('windsurf', '')},
        "show_output": true
      }
    ],
    "pre_mcp_tool_use": [
      {
        "command": ${lineOf('windsurf', '')},
        "show_output": true
      }
    ],
    "post_run_command": [
      {
        "command": ${lineOf('windsurf', '')},
        "show_output": true
      }
    ],
    "post_mcp_tool_use": [
      {
        "command": ${lineOf('windsurf', '')},
        "show_output": true
      }
    ]
  }
}
`,
  },
}

const files: Record<AgentName, string> = {
  claude: '.claude/settings.json',
  codex: '.codex/hooks.json',
  copilot: '.github/hooks/pml.json',
  cursor: '.cursor/hooks.json',
  gemini: '.gemini/settings.json',
  opencode: '.opencode/plugins/pml.js',
  windsurf: '.windsurf/hooks.json',
}

describe('pml hooks install', () => {
  const cases = Object.entries(goldens)

  it.each(cases)('changes the settings of %s by what it shows, and nothing else', async (agent, golden) => {
    const { file, before, after } = golden
    if (before !== '') await project.write(project.at(file), before)
    const { exit, stdout } = await project.run(['hooks', 'install', '--agent', agent])
    expect(exit).toBe(0)
    expect(await project.read(project.at(file))).toBe(after)
    const added = after.split('\n').filter((line) => !before.split('\n').includes(line))
    for (const line of added) expect(stdout).toContain(`+${line}`)
    expect(stdout).toContain(`${project.at(file)}: written\n`)
  })

  it.each(cases)('changes nothing for %s the second time', async (agent, { file, before, after }) => {
    await project.write(project.at(file), before)
    await project.run(['hooks', 'install', '--agent', agent])
    const again = await project.json(['hooks', 'install', '--agent', agent])
    expect(again).toMatchObject({ file: project.at(file), result: 'unchanged', diff: '' })
    expect(await project.read(project.at(file))).toBe(after)
  })

  it('names its own file where the agent does not start hooks in the project, and says what Codex wants', async () => {
    const { notes } = await project.json(['hooks', 'install', '--agent', 'codex'])
    expect(notes).toEqual([
      expect.stringContaining('until it is trusted: start codex and type /hooks'),
      expect.stringContaining('"pml hooks install --agent codex --scope user" covers that too'),
      'The hook has a path of this machine, so do not share the file',
    ])
    const { hooks } = parse((await project.read(project.at('.codex/hooks.json'))) ?? '') as ClaudeSettings
    expect(Object.keys(hooks)).toEqual(['PreToolUse', 'PostToolUse', 'SessionStart'])
    const own = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
    expect(hooks['PreToolUse']?.[0]?.hooks[0]).toEqual({
      type: 'command',
      command: expect.stringContaining(`node ${own} hook --agent codex <&3`),
      timeout: 30,
    })
  })

  it('replaces what an older version wrote', async () => {
    const old = { type: 'command', command: 'npx pml hook --agent claude' }
    const settings = {
      hooks: {
        PreToolUse: [{ matcher: 'Write', hooks: [old] }],
        PostToolUse: [{ hooks: [old] }],
      },
    }
    await project.write(project.at(files.claude), JSON.stringify(settings, null, 2))
    await project.run(['hooks', 'install', '--agent', 'claude'])
    const { hooks } = parse((await project.read(project.at(files.claude))) ?? '') as ClaudeSettings
    expect(Object.keys(hooks)).toEqual([
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'SessionStart',
      'ConfigChange',
    ])
    expect(hooks['PreToolUse']).toEqual([
      { matcher: '*', hooks: [expect.objectContaining({ onFailure: 'block' })] },
    ])
  })

  it('writes a program of its own where an agent loads programs, and takes it away', async () => {
    const file = project.at(files.opencode)
    const install = ['hooks', 'install', '--agent', 'opencode']
    await project.run(install)
    const text = await project.read(file)
    expect(text).toContain('"node_modules/@pml-registry/pml/bin/pml.js"')
    expect(await project.json(install)).toMatchObject({ file, result: 'unchanged' })
    await project.write(file, `${text}// mine\n`)
    expect(await project.json(install)).toMatchObject({ result: 'written' })
    expect(await project.read(file)).toBe(text)
    await project.run(['hooks', 'uninstall', '--agent', 'opencode'])
    expect(await project.read(file)).toBeUndefined()
  })

  it('leaves a program alone that pml did not write', async () => {
    const file = project.at(files.opencode)
    await project.write(file, 'export const pml = async () => ({})\n')
    const { exit, stderr } = await project.run(['hooks', 'install', '--agent', 'opencode'])
    expect([exit, stderr]).toEqual([2, expect.stringContaining('pml did not write what is in it')])
    await project.run(['hooks', 'uninstall', '--agent', 'opencode'])
    expect(await project.read(file)).toBe('export const pml = async () => ({})\n')
  })

  it('only shows the change with --dry-run', async () => {
    const { exit, stdout } = await project.run(['hooks', 'install', '--agent', 'claude', '--dry-run'])
    expect([exit, stdout]).toEqual([0, expect.stringContaining('+    "PreToolUse": [')])
    expect(stdout).toContain('settings.json: not written')
    expect(await project.read(project.at(files.claude))).toBeUndefined()
  })

  it('keeps the mode of the file and leaves nothing beside it', async () => {
    await project.write(project.at(files.claude), '{}')
    await chmod(project.at(files.claude), 0o600)
    await project.run(['hooks', 'install', '--agent', 'claude'])
    expect((await stat(project.at(files.claude))).mode & 0o777).toBe(0o600)
    expect(await readdir(project.at('.claude'))).toEqual(['settings.json'])
  })

  it('refuses settings that are no JSON, and says where', async () => {
    const broken = '{\n  "model": "opus"\n  "hooks": {}\n}\n'
    await project.write(project.at(files.claude), broken)
    for (const verb of ['install', 'uninstall']) {
      const { exit, stderr } = await project.run(['hooks', verb, '--agent', 'claude'])
      expect([exit, stderr]).toEqual([
        2,
        expect.stringContaining(`${project.at(files.claude)}:3:3: expected valid JSON: comma expected`),
      ])
    }
    expect(await project.read(project.at(files.claude))).toBe(broken)
  })

  it('refuses settings that are not UTF-8', async () => {
    await writeFile(await made(files.claude), Buffer.from([0x7b, 0xff, 0x7d]))
    const { exit, stderr } = await project.run(['hooks', 'install', '--agent', 'claude'])
    expect([exit, stderr]).toEqual([2, expect.stringContaining('expected UTF-8')])
  })

  it.each([
    ['the file', async () => symlink(await outside('{}'), await made(files.claude))],
    ['its folder', async () => symlink(dirname(await outside('{}')), project.at('.claude'))],
    ['a file that is not there', async () => symlink('/nowhere/settings.json', await made(files.claude))],
  ])('refuses a link out of the project: %s', async (_, link) => {
    await link()
    const { exit, stderr } = await project.run(['hooks', 'install', '--agent', 'claude'])
    expect([exit, stderr]).toEqual([1, expect.stringContaining('settings.json')])
    expect(stderr).toContain('it is a symbolic link ')
    expect((await project.read(join(project.home, 'outside', 'settings.json'))) ?? '{}').toBe('{}')
  })

  it('follows a link that stays in the home, and keeps it', async () => {
    const [link, real] = [join(project.home, files.claude), join(project.home, 'dotfiles', 'claude.json')]
    await project.write(real, '{ "model": "opus" }\n')
    await mkdir(dirname(link))
    await symlink(real, link)
    await project.run(['hooks', 'install', '--agent', 'claude', '--scope', 'user'])
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
    expect(await project.read(real)).toContain('hook --agent claude')
  })

  it.each([
    ['claude', 'CLAUDE_CONFIG_DIR', 'settings.json'],
    ['codex', 'CODEX_HOME', 'hooks.json'],
    ['copilot', 'COPILOT_HOME', 'hooks/pml.json'],
    ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
  ])('finds the settings of a user where %s has them by %s', async (agent, variable, file) => {
    const folder = join(project.home, 'elsewhere')
    await mkdir(folder)
    const env = { [variable]: folder }
    await project.run(['hooks', 'install', '--agent', agent, '--scope', 'user'], { env })
    expect(await project.read(join(folder, file))).toContain(`hook --agent ${agent}`)
  })

  it('has the absolute path of Node for a user, whose PATH is unknown', async () => {
    await project.run(['hooks', 'install', '--agent', 'claude', '--scope', 'user'])
    const { hooks } = parse((await project.read(join(project.home, files.claude))) ?? '') as ClaudeSettings
    const own = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
    expect(hooks['PreToolUse']?.[0]?.hooks[0]?.command).toMatch(
      `${process.execPath} ${own} hook --agent claude`,
    )
    expect(await project.read(project.at(files.claude))).toBeUndefined()
  })

  it('finds the project from a folder in it', async () => {
    await project.workspace.writeConfig({})
    await mkdir(project.at('src'))
    await project.run(['hooks', 'install', '--agent', 'claude'], { cwd: project.at('src') })
    expect(await project.read(project.at(files.claude))).toContain('hook --agent claude')
  })

  it('refuses an agent that it does not know', async () => {
    const { exit, stderr } = await project.run(['hooks', 'install', '--agent', 'vim'])
    expect([exit, stderr]).toEqual([2, expect.stringContaining('claude')])
  })
})

describe('pml hooks install --http', () => {
  const url = 'https://registry.example.com/pml'
  const env = { PML_REGISTRY_URL: url, PML_API_KEY: 'pml_a_s3cr3t' }

  it('has the registry judge for Claude Code, with the key by name', async () => {
    await project.run(['hooks', 'install', '--agent', 'claude', '--http'], { env })
    const text = (await project.read(project.at(files.claude))) ?? ''
    const { hooks } = parse(text) as ClaudeSettings
    const asking = {
      type: 'http',
      url: `${url}/hooks/claude`,
      headers: { Authorization: 'Bearer $PML_API_KEY' },
      allowedEnvVars: ['PML_API_KEY'],
      timeout: 30,
      onFailure: 'block',
    }
    expect(hooks['PreToolUse']).toEqual([{ matcher: '*', hooks: [asking] }])
    expect(hooks['SessionStart']?.[0]?.hooks[0]).toMatchObject({ type: 'command' })
    expect(text).not.toContain('s3cr3t')
    expect(await project.json(['hooks', 'install', '--agent', 'claude', '--http'], { env })).toMatchObject({
      result: 'unchanged',
    })
    await project.run(['hooks', 'uninstall', '--agent', 'claude'])
    expect(await project.read(project.at(files.claude))).toBeUndefined()
  })

  it('has the registry judge for Copilot', async () => {
    await project.run(['hooks', 'install', '--agent', 'copilot', '--http'], { env })
    const { hooks } = parse((await project.read(project.at(files.copilot))) ?? '') as {
      hooks: Record<string, object[]>
    }
    expect(hooks['preToolUse']).toEqual([
      {
        type: 'http',
        url: `${url}/hooks/copilot`,
        headers: { Authorization: 'Bearer $PML_API_KEY' },
        allowedEnvVars: ['PML_API_KEY'],
        timeoutSec: 30,
      },
    ])
  })

  it.each([
    ['gemini', { PML_REGISTRY_URL: url }, 'expected claude or copilot; leave out --http'],
    ['copilot', { PML_REGISTRY_URL: 'http://127.0.0.1:3000' }, 'expected a registry with https'],
    ['claude', { PML_REGISTRY_URL: '' }, 'expected PML_REGISTRY_URL to name the registry; set it'],
  ])('refuses %s where it would not work: %j', async (agent, env, reason) => {
    const { exit, stderr } = await project.run(['hooks', 'install', '--agent', agent, '--http'], { env })
    expect([exit, stderr]).toEqual([2, expect.stringContaining(reason)])
  })
})

describe('pml hooks uninstall', () => {
  it.each(Object.entries(goldens))(
    'leaves the settings of %s as they were',
    async (agent, { file, before }) => {
      if (before !== '') await project.write(project.at(file), before)
      await project.run(['hooks', 'install', '--agent', agent])
      const { exit, stdout } = await project.run(['hooks', 'uninstall', '--agent', agent])
      expect(exit).toBe(0)
      expect(stdout).toContain(`${project.at(file)}: ${before === '' ? 'removed' : 'written'}\n`)
      expect(await project.read(project.at(file))).toBe(before === '' ? undefined : before)
    },
  )

  it.each(agentNames)('takes away a file of %s that has nothing else in it', async (agent) => {
    await project.run(['hooks', 'install', '--agent', agent])
    expect(await project.read(project.at(files[agent]))).toMatch(new RegExp(`hook\\W+--agent\\W+${agent}`))
    await project.run(['hooks', 'uninstall', '--agent', agent])
    expect(await project.read(project.at(files[agent]))).toBeUndefined()
  })

  it('has nothing to do where pml is not installed', async () => {
    const text = '{ "hooks": { "Stop": [] } }'
    await project.write(project.at(files.claude), text)
    expect(await project.json(['hooks', 'uninstall', '--agent', 'claude'])).toMatchObject({
      result: 'unchanged',
    })
    expect(await project.json(['hooks', 'uninstall', '--agent', 'codex'])).toMatchObject({
      result: 'unchanged',
    })
    expect(await project.read(project.at(files.claude))).toBe(text)
  })
})

describe.runIf(hasTerminal)('on a terminal', () => {
  const install = ['hooks', 'install', '--agent', 'claude']

  it.each([
    ['is made on a yes', 'y\n', 'written'],
    ['is not made on anything else', '\n', 'declined'],
  ])('a change %s', async (_, key, result) => {
    const { exit, text } = await runOnTerminal({ ...project.workspace, env: project.env }, install, [key])
    expect(exit).toBe(0)
    expect(text.indexOf('+    "PreToolUse": [')).toBeLessThan(text.indexOf('Approve?'))
    expect(text).toContain(`settings.json: ${result}`)
    expect((await project.read(project.at(files.claude))) !== undefined).toBe(result === 'written')
  })

  it('needs no prompt if it was agreed to before', async () => {
    const { text } = await runOnTerminal(
      { ...project.workspace, env: project.env },
      [...install, '--yes'],
      [],
    )
    expect(text).not.toContain('Approve?')
    expect(text).toContain('settings.json: written')
  })
})

describe('installing from a program', () => {
  const request = {
    agent: 'claude',
    scope: 'project',
    isHttp: false,
    isDryRun: false,
    isSure: false,
  } as const

  it('starts Node without a shell on Windows', async () => {
    const platform = 'win32' as const
    const hookOf = async (agent: AgentName) => {
      const context = contextOf({ platform })
      await installHooks(context, { ...request, agent })
      return parse((await project.read(project.at(files[agent]))) ?? '') as ClaudeSettings
    }
    expect((await hookOf('claude')).hooks['PreToolUse']?.[0]?.hooks).toEqual([
      {
        type: 'command',
        command: 'node',
        args: [
          '${CLAUDE_PROJECT_DIR}/node_modules/@pml-registry/pml/bin/pml.js',
          'hook',
          '--agent',
          'claude',
        ],
        timeout: 30,
        onFailure: 'block',
      },
    ])
    expect((await hookOf('windsurf')).hooks['pre_write_code']).toEqual([
      { command: 'node node_modules/@pml-registry/pml/bin/pml.js hook --agent windsurf', show_output: true },
    ])
    const again = await installHooks(contextOf({ platform }), request)
    expect(again.result).toBe('unchanged')
  })

  it('does not overwrite a file that changed while the question was open', async () => {
    await project.write(project.at(files.claude), '{}')
    const confirm = async () => {
      await project.write(project.at(files.claude), '{ "model": "opus" }')
      return true
    }
    await expect(installHooks({ ...contextOf({}), confirm }, request)).rejects.toThrow(
      'it was changed in the meantime; run this again',
    )
    expect(await project.read(project.at(files.claude))).toBe('{ "model": "opus" }')
  })

  function contextOf(ops: Partial<Ops>): CommandContext {
    const refuse = async () => Promise.reject(new Error('not needed'))
    return {
      ops: { ...processOps(project.env), cwd: project.at(), ...ops },
      signal: new AbortController().signal,
      workspace: undefined,
      client: refuse,
      lockfile: refuse,
      onProgress: () => undefined,
      confirm: async () => true,
      screen: undefined,
      person: openPerson(processOps(project.env)),
    }
  }
})

describe('a path with spaces, quotes and dollars', () => {
  it('is run as it is', async () => {
    const source = fileURLToPath(new URL('../..', import.meta.url))
    const odd = join(project.home, `it's a "$HOME" \`pml\` of mine`)
    for (const part of ['bin', 'bundle', 'package.json']) {
      await cp(join(source, part), join(odd, part), { recursive: true })
    }
    const argv = ['hooks', 'install', '--agent', 'claude', '--scope', 'user', '--json']
    const env = project.env
    const { exit } = await runPml(join(odd, 'bin', 'pml.js'), argv, { cwd: project.at(), env })
    expect(exit).toBe(0)
    await project.write(join(odd, 'bin', 'pml.js'), 'console.error(process.argv.slice(2).join())')
    const { hooks } = parse((await project.read(join(project.home, files.claude))) ?? '') as ClaudeSettings
    const { runHookLine } = await import('./doctor/run-hook-line.ts')
    const ops = { platform: process.platform, kill: () => true as const }
    const run = await runHookLine(ops, hooks['PreToolUse']?.[0]?.hooks[0] ?? {}, {
      cwd: project.at(),
      env,
      input: '{}',
    })
    expect(run).toEqual({ exit: 0, stderr: 'hook,--agent,claude\n' })
  })
})

interface ClaudeSettings {
  readonly hooks: Record<string, { matcher?: string; hooks: Record<string, string>[] }[]>
}

async function outside(text: string): Promise<string> {
  const file = join(project.home, 'outside', 'settings.json')
  await project.write(file, text)
  return file
}

/** With the folder that it is to be in. */
async function made(file: string): Promise<string> {
  await mkdir(dirname(project.at(file)), { recursive: true })
  return project.at(file)
}
