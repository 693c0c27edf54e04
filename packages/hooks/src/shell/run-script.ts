import type {
  AndOr,
  ArithmeticCommand,
  ArithmeticFor,
  Case,
  CompoundList,
  For,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Select,
  Statement,
  While,
} from 'unbash'
import { hole, readable } from './words/holes.ts'
import { readRedirects, withInput } from './words/redirects.ts'
import { runSimple } from './run-simple.ts'
import { NOTHING } from './words/shell.ts'
import type { Folder, FunctionBody, Shell, Stream } from './words/shell.ts'
import { expandWord, readSubstitutions } from './words/words.ts'

type Node = PipelineNode | AndOr | FunctionBody

/** With more possible folders the current folder counts as unknown. */
const MOST_FOLDERS = 8
/** A loop over more words is read for these, and once for an unknown word. */
const MOST_ROUNDS = 50

/** Reads every branch, whichever would be taken. */
export function runScript(shell: Shell, script: ParsedScript, stdin: Stream): Stream {
  for (const error of script.errors ?? []) {
    shell.unknown(`The command cannot be read as a shell command: ${readable(error.message)}`)
  }
  return runList(shell, script.commands, stdin)
}

function runNode(shell: Shell, node: Node, stdin: Stream): Stream {
  shell.spend(1)
  switch (node.type) {
    case 'Command':
      return runSimple(shell, node, stdin)
    case 'Pipeline':
      return runPipeline(shell, node, stdin)
    case 'AndOr':
      return runAndOr(shell, node, stdin)
    case 'CompoundList':
      return runList(shell, node.commands, stdin)
    case 'BraceGroup':
      return runList(shell, node.body.commands, stdin)
    case 'Subshell':
      return shell.inSubshell(() => runList(shell, node.body.commands, stdin))
    case 'Redirected': {
      const { redirects } = node
      const input = withInput(shell, redirects, stdin)
      return readRedirects(shell, redirects, runNode(shell, node.command, input))
    }
    case 'If':
      runList(shell, node.clause.commands, stdin)
      runBranches(
        shell,
        [node.then, ...node.elif.flatMap((elif) => [elif.clause, elif.then]), node.else],
        stdin,
      )
      return undefined
    case 'Case':
      return runCase(shell, node, stdin)
    case 'For':
    case 'Select':
      return runFor(shell, node, stdin)
    case 'ArithmeticFor':
    case 'While':
      return runWhile(shell, node, stdin)
    case 'Function':
      defineFunction(shell, node.name.value, node.body)
      return NOTHING
    case 'Coproc':
      return shell.inSubshell(() => runNode(shell, node.body, undefined))
    case 'TestCommand':
    case 'ArithmeticCommand':
      readSubstitutions(shell, node)
      if (node.type === 'ArithmeticCommand') forgetCounted(shell, node)
      return NOTHING
  }
}

function runList(shell: Shell, statements: readonly Statement[], stdin: Stream): Stream {
  let text: string | undefined = ''
  let only: Stream
  for (const { command, background } of statements) {
    const stream = background
      ? shell.inSubshell(() => runNode(shell, command, stdin))
      : runNode(shell, command, stdin)
    settleFolders(shell, command)
    if (statements.length === 1) only = stream
    text = text !== undefined && stream && 'text' in stream ? text + stream.text : undefined
  }
  return only ?? (text === undefined ? undefined : { text })
}

/** A `cd` may fail; then later statements run in the old folder. */
function settleFolders({ scope }: Shell, node: Node): void {
  const { left } = scope
  scope.left = []
  if (left.length === 0 || scope.stopsOnError || endsOnFailure(node)) return
  scope.folders = union(scope.folders, left)
}

/** `cd x || exit 1` */
function endsOnFailure(node: Node): boolean {
  const last = node.type === 'AndOr' && node.operators.at(-1) === '||' ? node.commands.at(-1) : undefined
  return last !== undefined && leaves(last)
}

function leaves(node: Node): boolean {
  let last: Node | undefined = node
  while (last?.type === 'BraceGroup') last = last.body.commands.at(-1)?.command
  return last?.type === 'Command' && /^(?:exit|return|continue|break)$/.test(last.name?.value ?? '')
}

function union(folders: readonly Folder[], more: readonly Folder[]): readonly Folder[] {
  const all = [...new Set([...folders, ...more])]
  return all.length > MOST_FOLDERS ? [...all.slice(0, MOST_FOLDERS), undefined] : all
}

function runPipeline(shell: Shell, { commands }: Pipeline, stdin: Stream): Stream {
  if (commands.length === 1 && commands[0]) return runNode(shell, commands[0], stdin)
  let stream = stdin
  for (const command of commands) {
    const input = stream
    stream = shell.inSubshell(() => runNode(shell, command, input))
  }
  return stream
}

function runAndOr(shell: Shell, { commands, operators }: AndOr, stdin: Stream): Stream {
  let text: string | undefined = ''
  for (const [index, command] of commands.entries()) {
    const run = () => runNode(shell, command, stdin)
    const instead = operators[index - 1] === '||' ? () => whereItFailed(shell, command, run) : run
    const stream = index === 0 ? run() : maybe(shell, instead)
    text = text !== undefined && stream && 'text' in stream ? text + stream.text : undefined
  }
  return text === undefined || operators.includes('||') ? undefined : { text }
}

/** After `||` the current folder is the one before the failed `cd`. */
function whereItFailed({ scope }: Shell, command: Node, run: () => Stream): Stream {
  if (scope.left.length === 0) return run()
  const { folders } = scope
  scope.folders = scope.left
  const stream = run()
  scope.folders = leaves(command) ? folders : union(folders, scope.folders)
  return stream
}

/** A variable that a conditional command changes becomes unknown. */
function maybe(shell: Shell, run: () => Stream): Stream {
  const { variables } = shell.scope
  const before = new Map(variables)
  const stream = run()
  for (const [name, value] of before) {
    if (variables.get(name) !== value) variables.set(name, hole(`$${name}`))
  }
  return stream
}

function runBranches(shell: Shell, branches: readonly (CompoundList | undefined)[], stdin: Stream): void {
  const before = shell.scope.folders
  let after = before
  for (const branch of branches) {
    if (!branch) continue
    shell.scope.folders = before
    maybe(shell, () => runList(shell, branch.commands, stdin))
    after = union(shell.scope.folders, after)
  }
  shell.scope.folders = after
}

function runCase(shell: Shell, node: Case, stdin: Stream): Stream {
  readSubstitutions(shell, node)
  runBranches(
    shell,
    node.items.map((item) => item.body),
    stdin,
  )
  return undefined
}

function runFor(shell: Shell, node: For | Select, stdin: Stream): Stream {
  const { scope } = shell
  const words = node.wordlist?.flatMap((word) => expandWord(shell, word)) ?? scope.args ?? [hole('$@')]
  const rounds = words.slice(0, MOST_ROUNDS)
  if (rounds.length < words.length) rounds.push(hole(`$${node.name.value}`))
  let text: string | undefined = ''
  for (const word of rounds) {
    scope.variables.set(node.name.value, word)
    const stream = maybe(shell, () => runList(shell, node.body.commands, stdin))
    text = text !== undefined && stream && 'text' in stream ? text + stream.text : undefined
  }
  return text === undefined || node.type === 'Select' ? undefined : { text }
}

/** A second round uses the variables and folders of the first. */
function runWhile(shell: Shell, node: While | ArithmeticFor, stdin: Stream): Stream {
  for (let round = 0; round < 2; round++) {
    const before = new Map(shell.scope.variables)
    const { folders } = shell.scope
    if (node.type === 'ArithmeticFor') {
      readSubstitutions(shell, node)
      forgetCounted(shell, node)
    } else runList(shell, node.clause.commands, stdin)
    maybe(shell, () => runList(shell, node.body.commands, stdin))
    shell.scope.folders = union(shell.scope.folders, folders)
    const { variables } = shell.scope
    const same = [...variables].every(([name, value]) => before.get(name) === value)
    if (same && shell.scope.folders.length === folders.length) break
  }
  return undefined
}

/** Arithmetic is not evaluated: the variables in it may have changed. */
function forgetCounted({ scope }: Shell, node: ArithmeticCommand | ArithmeticFor): void {
  const names = node.type === 'ArithmeticCommand' ? node.body.match(/[a-z_]\w*/gi) : countersOf(node)
  for (const name of names ?? []) if (scope.variables.has(name)) scope.variables.set(name, hole(`$${name}`))
}

function countersOf({ initialize, update }: ArithmeticFor): readonly string[] {
  return [...JSON.stringify([initialize, update]).matchAll(/"value":"([a-z_]\w*)"/gi)].map(
    ([, name = '']) => name,
  )
}

/** A second definition may never be reached: then the first one is called. */
function defineFunction(shell: Shell, name: string, body: FunctionBody): void {
  const { functions } = shell.scope
  const former = functions.get(name)
  functions.set(name, body)
  if (former && !shell.called.has(former)) runFunction(shell, former, { args: undefined, stdin: undefined })
}

/** Reads a function when it is called. */
export function runFunction(
  shell: Shell,
  body: FunctionBody,
  { args, stdin }: { args: readonly string[] | undefined; stdin: Stream },
): Stream {
  const { args: outer } = shell.scope
  shell.scope.args = args
  const stream = runNode(shell, body, stdin)
  shell.scope.args = outer
  return stream
}
