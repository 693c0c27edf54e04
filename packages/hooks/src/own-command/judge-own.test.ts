import { describe, expect, it } from 'vitest'
import { decide } from '../decide.ts'
import { beforeTool, type JsonObject, type ToolCall } from '../event.ts'
import { readCommand } from '../shell/index.ts'
import { findCommand } from '../writes/find-command.ts'
import type { World } from '../world.ts'

const cwd = '/project'
const files: Record<string, string> = {
  '/project/.env': 'PML_API_KEY=pml_a_b\n',
  '/project/other/.env': 'PORT=1\n#PML_API_KEY=\nPML_ADMIN_KEY=\n',
}
const world: World = {
  home: '/home/anna',
  readFile: (path) => {
    const text = files[path]
    return text === undefined ? { kind: 'missing' } : { kind: 'text', text }
  },
  realPath: (path) => path,
  otherNames: () => [],
  expand: () => [],
}

function verdict(call: ToolCall): string {
  const command = findCommand(call)
  const shell = command === undefined ? undefined : readCommand(command, { cwd, home: '/home/anna' })
  const decision = decide(beforeTool({ agent: 'claude', cwd, call }), {
    guarded: [],
    world,
    shell,
    refusals: [],
  })
  return decision.verdict === 'block' ? decision.findings[0].rule : decision.verdict
}
const run = (command: string) => verdict({ kind: 'shell', tool: 'Bash', command, dialect: 'bash' })
const mcp = (server: string, name: string, args: JsonObject = {}) =>
  verdict({ kind: 'mcp', tool: `mcp__${server}__${name}`, server, name, args, launch: undefined })
const other = (tool: string, input: JsonObject) => verdict({ kind: 'other', tool, input })

const ID = '0b7c1d6e-5a55-4d0e-9a39-6a1f3f5f7c11'

describe('refuses to answer or consent for the person', () => {
  it.each([
    `pml continue ${ID} --approve`,
    `pml continue --approve ${ID}`,
    `pml --json continue --always=true --approve ${ID}`,
    `pml --workspace /x continue ${ID} --reject`,
    `pml --workspace=/x continue ${ID} --approve`,
    `pml continue --input '{"workflowId":"${ID}","approve":true}'`,
    `pml --input '{"workflowId": "${ID}", "approve": true}' continue`,
    `echo '{"workflowId":"${ID}","approve":true}' | pml continue --input -`,
    `pml continue ${ID} --run --approve`,
    `pml continue $ID --approve`,
    `pml $VERB ${ID} --approve`,
    `pml -- continue ${ID} --approve`,
    `'p'ml c"ontin"ue ${ID} --approve`,
    `P=pml; $P continue ${ID} --approve`,
    `./node_modules/.bin/pml continue ${ID} --approve`,
    `PML continue ${ID} --approve`,
    `node node_modules/pml/bin/pml.js continue ${ID} --approve`,
    `node --no-warnings -r ./x.js node_modules/pml/bin/pml.js continue ${ID} --approve`,
    `node node_modules/pml/bundle/main.js continue ${ID} --approve`,
    `tsx packages/pml/src/main.ts continue ${ID} --approve`,
    `npx pml continue ${ID} --approve`,
    `npx -y pml@latest continue ${ID} --approve`,
    `npx -p pml pml continue ${ID} --approve`,
    `npx --package=pml -c 'pml continue ${ID} --approve'`,
    `npm exec -- pml continue ${ID} --approve`,
    `npm x pml -- continue ${ID} --approve`,
    `pnpm dlx pml continue ${ID} --approve`,
    `pnpm exec pml continue ${ID} --approve`,
    `pnpm pml continue ${ID} --approve`,
    `pnpm -C sub exec pml continue ${ID} --approve`,
    `yarn pml continue ${ID} --approve`,
    `yarn dlx pml continue ${ID} --approve`,
    `yarn --cwd sub pml continue ${ID} --approve`,
    `bun x pml continue ${ID} --approve`,
    `bunx pml continue ${ID} --approve`,
    `bun run pml continue ${ID} --approve`,
    `deno run -A npm:pml continue ${ID} --approve`,
    `deno run --allow-all npm:pml@1.2.3/pml continue ${ID} --approve`,
    `npx @pml-registry/pml continue ${ID} --approve`,
    `npx -y @pml-registry/pml@latest continue ${ID} --approve`,
    `npx -p @pml-registry/pml pml continue ${ID} --approve`,
    `npx --package=@pml-registry/pml@0.1.0 -c 'pml continue ${ID} --approve'`,
    `npx ./pml-registry-pml-0.1.0.tgz continue ${ID} --approve`,
    `npx file:pml-registry-pml-0.1.0.tgz continue ${ID} --approve`,
    `npm exec @pml-registry/pml@0.1.0 -- continue ${ID} --approve`,
    `pnpm dlx @pml-registry/pml@0.1.0 continue ${ID} --approve`,
    `yarn dlx @pml-registry/pml continue ${ID} --approve`,
    `bunx @pml-registry/pml@^0.1 continue ${ID} --approve`,
    `deno run -A npm:@pml-registry/pml continue ${ID} --approve`,
    `deno run -A npm:@pml-registry/pml@0.1.0/pml continue ${ID} --approve`,
    `node node_modules/@pml-registry/pml/bin/pml.js continue ${ID} --approve`,
    `node node_modules/@pml-registry/pml continue ${ID} --approve`,
    `tmux send-keys -t 0 'npx pml@latest continue ${ID} --approve' Enter`,
    `tmux send-keys -t 0 'npx @pml-registry/pml@latest continue ${ID} --approve' Enter`,
    `python3 -c "import os; os.system('npx @pml-registry/pml@0.1.0 trust --yes')"`,
    `node -e "import('@pml-registry/pml').then(({openPml}) => openPml())"`,
    `$(which pml) continue ${ID} --approve`,
    `"$(command -v pml)" hooks uninstall --agent claude`,
    `$PML_BIN mcp enable files`,
    `echo ${ID} | xargs -I{} pml continue {} --approve`,
    `echo ${ID} --approve | xargs pml continue`,
    `env X=1 pml continue ${ID} --approve`,
    `env -i PATH=/bin pml continue ${ID} --approve`,
    `sh -c 'pml continue ${ID} --approve'`,
    `bash -lc "npx pml continue ${ID} --approve"`,
    `sudo -u anna pml continue ${ID} --approve`,
    `script -qc 'pml continue ${ID} --approve' /dev/null`,
    `tmux send-keys -t 0 'pml continue ${ID} --approve' Enter`,
    `screen -X stuff 'pml continue ${ID} --approve\\n'`,
    `expect -c 'spawn pml continue ${ID}; send "y\\r"; spawn pml continue ${ID} --approve'`,
    `ssh localhost pml continue ${ID} --approve`,
    `systemd-run --user pml continue ${ID} --approve`,
    `setsid -f nohup pml continue ${ID} --approve`,
    `python3 -c "import subprocess; subprocess.run(['pml','continue','${ID}','--approve'])"`,
    `node -e "import('pml').then(({openPml}) => openPml())"`,
    'pml add filesystem',
    'pml update memory',
    'pml rollback memory',
    'pml remove memory',
    'pml init',
    'pml trust --yes',
    'pml lock clean',
    'pml mcp enable files',
    'pml mcp --json enable files',
    'pml hooks uninstall --agent claude',
    'pml hooks --agent claude uninstall',
    'pml hooks install --agent claude',
    'pml trust',
    'pml trust --status --yes',
    'pml hooks accept',
    'pml client uninstall --client claude',
    'pml serve',
    'pml serve --http --port 4100',
    'mkfifo p; pml serve < p',
    'pml hook --agent claude < event.json',
    'pml key create --scope admin',
    'pml registry approve-change 7',
    'pml frobnicate',
    'PML_TRUST_WORKSPACE=1 pml run files:read',
    'export PML_TRUST_WORKSPACE=1',
    'env PML_TRUST_WORKSPACE=1 pml run files:read',
  ])('%s', (command) => {
    expect(run(command)).toBe('GUARD_COMMAND')
  })
})

describe('allows commands that only read', () => {
  it.each([
    'pml',
    'pml --version',
    'pml help add',
    'pml add --help',
    'pml list --json',
    'pml run files:read --input \'{"path": "continue --approve"}\'',
    'pml run files:read --input "$INPUT"',
    'pml catalog search "mcp enable"',
    `pml continue ${ID}`,
    `pml continue ${ID} --json`,
    'pml hooks status',
    'pml trust --status',
    'pml --json trust --status',
    'pml lock verify',
    'npx pml outdated',
    'pnpm --filter pml add lodash',
    'pnpm -F pml update',
    'npm install pml',
    'npx @pml-registry/pml@0.1.0 outdated',
    'pnpm dlx @pml-registry/pml list',
    'pnpm --filter @pml-registry/pml add lodash',
    'npm install --save-dev @pml-registry/pml',
    'npm install --save-dev ../registry/pml-registry-pml-0.1.0.tgz',
    'npm test -w pml',
    'npx vitest run packages/pml/src/hook',
    'cd packages/pml && npm run build',
    'git commit -m "pml: add a command"',
    'git add packages/pml',
    'grep -rn "pml continue" docs',
    'echo "run pml continue x --approve"',
    'rg PML_TRUST_WORKSPACE docs',
    '$GIT add file.ts',
    '$CMD update',
    'docker build -t pml .',
    'curl -s https://example.com/keys',
    'curl -s http://127.0.0.1:3000/approvals/changes',
    'cat other/.env',
    'ls -la .env data/admin-key',
    'node --env-file=.env scripts/start.mjs',
  ])('%s', (command) => {
    expect(run(command)).toBe('pass')
  })
})

describe('a decision at the registry', () => {
  it.each([
    'curl -X POST http://127.0.0.1:3000/approvals/changes/7/approve -H "authorization: Bearer $KEY"',
    'curl -X POST "$URL/approvals/changes/7/reject"',
    'wget --post-data "{}" http://localhost:3000/keys',
    'curl -H "authorization: Bearer pml_a_b" https://registry.example.com/keys',
    'curl https://registry.example.com/tools/registry_approve_change -d "{}"',
    `curl https://registry.example.com/mcp -d '{"params":{"name":"key_create"}}'`,
    `node -e "fetch('http://127.0.0.1:3000/approvals/changes/7/approve', {method: 'POST'})"`,
  ])('%s', (command) => {
    expect(run(command)).toBe('GUARD_COMMAND')
  })

  it.each([
    ['registry', 'registry_approve_change', 'GUARD_COMMAND'],
    ['anything', 'registry_reject_change', 'GUARD_COMMAND'],
    ['pml', 'acme__registry_approve_change', 'GUARD_COMMAND'],
    ['pml', 'key_create', 'GUARD_COMMAND'],
    ['hub', 'registry-approve-change', 'GUARD_COMMAND'],
    ['hub', 'registry.registry_approve_change', 'GUARD_COMMAND'],
    ['hub', 'pml-registry_approve_change', 'GUARD_COMMAND'],
    ['hub', 'registryApproveChange', 'GUARD_COMMAND'],
    ['hub', 'Registry_Approve_Change', 'GUARD_COMMAND'],
    ['hub', 'registry_approve_changes_list', 'pass'],
    ['aws', 'key_create', 'pass'],
    ['registry', 'registry_check_approval', 'pass'],
  ])('through the tool of %s: %s', (server, name, expected) => {
    expect(mcp(server, name)).toBe(expected)
  })
})

describe('through a tool of a server or an unknown tool', () => {
  const calls: [string, JsonObject][] = [
    ['run', { command: 'pml trust --yes' }],
    ['run', { cmd: ['pml', 'trust', '--yes'] }],
    ['run', { params: { command: `npx pml continue ${ID} --approve` } }],
    ['run', { program: 'pml', args: ['trust', '--yes'] }],
    ['run', { command: 'pml', arguments: 'trust --yes' }],
    ['run', { script: '#!/bin/sh\npml trust --yes' }],
    ['eval', { code: "require('child_process').execSync('pml trust --yes')" }],
    ['eval', { input: { source: "import os; os.system('pml trust --yes')" } }],
    ['send_keys', { keys: 'pml trust --yes\n' }],
    ['send_keys', { keys: ['pml trust --yes', 'Enter'] }],
    ['type', { text: 'pml trust --yes\n' }],
    ['write_stdin', { session_id: 1, chars: 'pml trust --yes\n' }],
    ['terminal_input', { input: 'pml hooks uninstall --agent claude' }],
    ['fetch', { url: 'http://127.0.0.1:3000/approvals/changes/7/approve', method: 'POST' }],
    ['fetch', { request: { uri: 'http://localhost:3000/keys' } }],
    ['call_tool', { name: 'registry_approve_change', arguments: { id: 7 } }],
    ['call_tool', { tool: 'registry:registry_approve_change' }],
    ['call_tool', { calls: [{ toolName: 'acme__registry_reject_change' }] }],
    ['call_tool', { tool_name: 'key_create', server: 'pml' }],
    ['read_file', { path: 'data/admin-key' }],
    ['read_files', { paths: ['README.md', '/project/data/log-key'] }],
    ['read_file', { uri: 'file:///project/data/admin-key' }],
  ]
  it.each(calls)('%s %j', (name, args) => {
    expect([mcp('any', name, args), other(name, args)]).toEqual(['GUARD_COMMAND', 'GUARD_COMMAND'])
  })

  it.each<[string, JsonObject]>([
    ['run', { command: 'pml trust --status' }],
    ['run', { command: 'npm', args: ['test', '-w', 'pml'] }],
    ['create_issue', { title: 'pml trust', body: 'Please run pml trust --yes first' }],
    ['query', { query: 'how does pml trust --yes work' }],
    ['write_note', { path: 'docs/x.md', content: 'Run pml add memory', text: 'Run pml add memory' }],
    ['call_tool', { name: 'registry_check_approval' }],
    ['call_tool', { name: 'key_create', server: 'aws' }],
    ['fetch', { url: 'https://example.com/keys' }],
    ['read_file', { path: 'src/a.ts' }],
  ])('passes: %s %j', (name, args) => {
    expect([mcp('any', name, args), other(name, args)]).toEqual(['pass', 'pass'])
  })
})

describe('a readable key', () => {
  it.each([
    'cat .env',
    'source .env',
    'cat data/admin-key',
    'cd data && cat ../.env',
    'base64 data/log-key',
    'cp data/admin-key /tmp/x',
    'cat < data/admin-key',
  ])('%s', (command) => {
    expect(run(command)).toBe('GUARD_COMMAND')
  })

  it('cannot be read by a tool of the agent either', () => {
    const read = (file_path: string) => verdict({ kind: 'other', tool: 'Read', input: { file_path } })
    expect([read('/project/.env'), read('data/admin-key')]).toEqual(['GUARD_COMMAND', 'GUARD_COMMAND'])
    expect([read('other/.env'), read('src/a.ts')]).toEqual(['pass', 'pass'])
  })
})
