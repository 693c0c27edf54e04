import { baseOf } from './find-agent.ts'
import { relays } from './known-terminals.ts'
import type { Process } from './processes.ts'

const shells: ReadonlySet<string> = new Set(
  'sh bash rbash dash ash zsh ksh ksh93 mksh oksh yash fish csh tcsh nu elvish pwsh'.split(' '),
)
/** Programs that run the command in their arguments and wait for it. */
const wrappers: ReadonlySet<string> = new Set('time timeout newgrp sg volta volta-shim aws-vault'.split(' '))
const packageRunners: ReadonlySet<string> = new Set('npm npm-cli pnpm yarn bun corepack'.split(' '))
const onlyRunners: ReadonlySet<string> = new Set('npx npx-cli pnpx bunx'.split(' '))
const javascript: ReadonlySet<string> = new Set(['node', 'nodejs', 'bun'])
const runningWords: ReadonlySet<string> = new Set(['exec', 'x', 'dlx', 'pml'])

/**
 * The name of the first of these processes that a person does not start commands with. A package script, a git hook, a
 * server or an unknown agent can run on a person's terminal too.
 */
export function findStarter(line: readonly Process[]): string | undefined {
  const found = line.find((one) => !isPersonsWay(one))
  return found && `${titleOf(found)} (process ${found.pid})`
}

function isPersonsWay(process: Process): boolean {
  const name = nameOf(process)
  if (shells.has(name) || wrappers.has(name) || relays.has(name)) return true
  return runsPackage(wordsOf(process), name)
}

/** All programs of busybox share one executable. */
function nameOf({ program, name }: Process): string {
  const base = baseOf(program ?? name)
  return base === 'busybox' ? baseOf(name) : base
}

/** "git", "npm run", "node server". Foreign words are shown without characters that could fake a message of pml. */
function titleOf(process: Process): string {
  const name = nameOf(process)
  const words = javascript.has(name) ? wordsOf(process).slice(0, 2).map(baseOf) : [name]
  return words.join(' ').replaceAll(/[^\w .@-]/g, '?')
}

/** The arguments without options. npm joins its arguments into one. */
function wordsOf({ args }: Process): string[] {
  return args.flatMap((arg) => arg.split(/\s+/)).filter((word) => word !== '' && !word.startsWith('-'))
}

/** `npx pml`, `npm exec pml`; not `npm install` or `npm test`, which run code of the repository. */
function runsPackage(words: readonly string[], name: string): boolean {
  const isScript = javascript.has(name) && javascript.has(baseOf(words[0] ?? ''))
  const [runner = '', first = ''] = isScript && !runningWords.has(words[1] ?? '') ? words.slice(1) : words
  if (onlyRunners.has(baseOf(runner))) return true
  return packageRunners.has(baseOf(runner)) && runningWords.has(first)
}
