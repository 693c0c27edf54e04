// Judges calls that need most of the hook, and leaves beside its files what V8 made of them meanwhile.
const { spawnSync } = require('node:child_process')
const { mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { compiledOf, findCompiled, fileOf, loadHook } = require('./pml.js')

// One that is refused, and one that passes and is looked after. What they run is what V8 keeps, so they are ordinary ones.
const commands = [
  "cat > src/add.test.ts <<'END'\nexpect(true).toBe(true)\nEND",
  'cd src && npm run build 2>&1 | tail -5; git status --short',
]

if (process.argv[2] === 'hook') judge()
else if (!findCompiled(fileOf('main.cjs'))) startInScratch()

/** Nothing of this is anybody's: nobody listens at the registry's address, and what the hook keeps is thrown away. */
function startInScratch() {
  const scratch = mkdtempSync(join(tmpdir(), 'pml-compile-'))
  try {
    for (const command of commands)
      for (const moment of ['PreToolUse', 'PostToolUse']) start(scratch, command, moment)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function start(scratch, command, moment) {
  const event = { hook_event_name: moment, tool_name: 'Bash', tool_input: { command }, cwd: scratch }
  spawnSync(process.execPath, [__filename, 'hook', '--agent', 'claude'], {
    cwd: scratch,
    input: JSON.stringify({ ...event, session_id: 'none', permission_mode: 'default' }),
    env: {
      HOME: scratch,
      PML_CACHE_DIR: scratch,
      PML_REGISTRY_URL: 'http://127.0.0.1:9',
      PML_API_KEY: 'none',
    },
  })
}

function judge() {
  const scripts = new Map()
  process.on('exit', () => {
    for (const [file, script] of scripts) keep(compiledOf(file), script.createCachedData())
  })
  loadHook('main.cjs', (file, script) => scripts.set(file, script))
}

/** Whole or not at all, after a power cut too: V8 does not look whether what it is given is damaged. */
function keep(file, bytes) {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, bytes, { flush: true })
  renameSync(draft, file)
}
