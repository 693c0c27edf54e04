import { conductOf, moduleConduct, scriptConduct } from './words/known-readers.ts'
import { runText } from './nested-shells.ts'
import { noteConduct } from './words/note-conduct.ts'
import { readOptions } from './words/options.ts'
import type { Call, Shell, Stream } from './words/shell.ts'

/** `npm exec -- cmd` and `pnpm exec cmd`; package.json scripts are not read. */
export function packageManager(shell: Shell, { name, args, stdin }: Call): Stream {
  const { words } = readOptions(args, {
    values: 'CFw',
    longValues: ['filter', 'dir', 'prefix', 'workspace'],
    stopsAtWord: true,
  })
  if (!/^(?:exec|x|dlx)$/.test(words[0] ?? '')) return runScriptOrTool(shell, { name, args: words, stdin })
  const call = readOptions(words.slice(1), {
    values: 'pc',
    longValues: ['package', 'call'],
    stopsAtWord: true,
  })
  const text = call.find('c', 'call')
  if (text !== undefined) return runText(shell, { text, by: 'npm', stdin })
  return call.words.length > 0 ? shell.run(call.words, stdin) : undefined
}

/** `npm test -- a.test.ts`, `yarn run lint`, and `pnpm vitest`, which runs a tool. */
function runScriptOrTool(shell: Shell, { name, args, stdin }: Call): Stream {
  const [verb = '', ...rest] = args
  const isRun = /^(?:run|run-script|rum|urn)$/.test(verb)
  const script = isRun ? (rest.find((word) => !word.startsWith('-')) ?? '') : verb
  if (!isRun && name !== 'npm' && !OWN_VERBS.test(verb) && scriptConduct(verb) === 'acts')
    return shell.run(args, stdin)
  if (!isRun && OWN_VERBS.test(verb)) return undefined
  noteConduct(shell, scriptConduct(script), { name: `${name} ${script}`, args: rest, stdin })
  return undefined
}

const OWN_VERBS =
  /^(?:|install|i|ci|add|remove|rm|uninstall|update|up|upgrade|outdated|audit|init|create|link|list|ls|why|info|view|pack|publish|login|logout|whoami|config|cache|dedupe|prune|version|doctor|store|fetch|import|rebuild|approve-builds|self-update|setup|workspaces?|workspace|set|plugin|dlx|help|root|bin|prefix|ping|search|star|fund|explain|query|pkg|deploy|patch|patch-commit|start|stop|build|dev|preview|serve)$/

const CONTAINER_VALUES = {
  values: 'efuwvplTh',
  longValues: [
    'env',
    'env-file',
    'user',
    'workdir',
    'volume',
    'mount',
    'publish',
    'name',
    'network',
    'platform',
    'entrypoint',
    'file',
    'project-name',
    'profile',
    'index',
    'label',
    'cpus',
    'memory',
  ],
  stopsAtWord: true,
}

/** A command in another environment may see the same files; only known effects on them count. */
export function container(shell: Shell, { name, args, stdin }: Call): Stream {
  const { words } = readOptions(args, CONTAINER_VALUES)
  const [verb = '', ...rest] =
    words[0] === 'compose' ? readOptions(words.slice(1), CONTAINER_VALUES).words : words
  if (verb !== 'exec' && verb !== 'run') return undefined
  const command = readOptions(rest, CONTAINER_VALUES).words.slice(1)
  const [program = '', ...given] = unwrapped(command)
  const isModule = /^python[\d.]*$/.test(program) && given[0] === '-m'
  const conduct = isModule ? moduleConduct(given[1] ?? '', given.slice(2)) : conductOf(program, given)
  noteConduct(shell, conduct, { name, args: command, stdin })
  return undefined
}

/** `npx vitest` is the same as vitest. */
function unwrapped(command: readonly string[]): readonly string[] {
  return /^(?:npx|bunx|pnpm|yarn|bundle|uv|poetry)$/.test(command[0] ?? '')
    ? command.slice(/^(?:exec|run)$/.test(command[1] ?? '') ? 2 : 1)
    : command
}
