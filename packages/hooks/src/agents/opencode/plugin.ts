import { TIMEOUT_SECONDS, type SettingsProgram } from '../../description/hook-settings.ts'

export const BEFORE = 'tool.execute.before'
export const AFTER = 'tool.execute.after'

const START = '\nconst settings = '
const END = '\n\n// A hook'

/** The plugin that opencode loads. An error thrown before a tool prevents the call and becomes its result. */
export const program: SettingsProgram = {
  print: (settings) => HEAD + START + settings.trim() + END + REST,
  read: (text) => {
    const start = text.indexOf(START)
    const end = text.indexOf(END, start)
    return start < 0 || end < 0 ? undefined : text.slice(start + START.length, end)
  },
}

const HEAD = `// Written by "pml hooks install --agent opencode"; "pml hooks uninstall --agent opencode" takes it away.
// Asks pml about every tool call, and refuses the call where pml refuses it or gives no answer.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
`

const REST = ` that takes longer has failed.
const LIMIT_SECONDS = ${TIMEOUT_SECONDS}

export const pml = async ({ directory }) => ({
  '${BEFORE}': async ({ tool, sessionID, callID }, { args }) => {
    await ask(directory, {
      hook_event_name: '${BEFORE}',
      session_id: sessionID,
      tool_use_id: callID,
      cwd: directory,
      tool_name: tool,
      tool_input: args ?? {},
    })
    // Plugins that run later cannot change what was judged.
    freeze(args)
  },
  '${AFTER}': ({ tool, sessionID, callID }) =>
    ask(directory, {
      hook_event_name: '${AFTER}',
      session_id: sessionID,
      tool_use_id: callID,
      cwd: directory,
      tool_name: tool,
    }),
})

// Resolves if pml lets the call pass; otherwise rejects with the reason.
function ask(cwd, event) {
  const [{ command, args }] = settings.hooks[event.hook_event_name]
  const [script, ...rest] = args
  return new Promise((pass, refuse) => {
    const fail = (why) =>
      refuse(
        new Error(
          'BLOCKED::HOOK_FAILED\\nACTION::Ask your person to run: pml hooks doctor --agent opencode\\n' +
            \`pml itself \${why}. Nothing was judged, so this was refused.\`,
        ),
      )
    const child = spawn(command, [resolve(import.meta.dirname, '..', '..', script), ...rest], {
      cwd,
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    const limit = setTimeout(() => {
      fail(\`took longer than \${LIMIT_SECONDS} s\`)
      end(child)
    }, LIMIT_SECONDS * 1000)
    let reason = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      reason += text
    })
    // A hook that ends without reading is judged by its exit code.
    child.stdin.on('error', () => {})
    child.on('error', ({ message }) => {
      clearTimeout(limit)
      fail(\`could not be started: \${message}\`)
    })
    child.on('close', (code) => {
      clearTimeout(limit)
      if (code === 0) pass()
      else if (code === 2 && reason.trim() !== '') refuse(new Error(reason.trimEnd()))
      else fail(\`failed with code \${code}\`)
    })
    child.stdin.end(JSON.stringify(event))
  })
}

// With everything that it started.
function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

function freeze(value) {
  if (typeof value !== 'object' || value === null) return
  Object.values(value).forEach(freeze)
  Object.freeze(value)
}
`
