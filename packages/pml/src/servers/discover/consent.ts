import { createHash } from 'node:crypto'
import { isDeciding, localServerName, type Name } from '@pml/core'
import type { LocalLaunch } from '@pml/core/local-servers'
import { findNamedSecret } from '@pml/core/secret-literals'
import type { Approval, Operation } from '../../api/approval.ts'
import { isAgreed, type DepsFile } from '../../workspace/consent.ts'
import type { Parts } from '../../registry/parts.ts'
import type { Ops } from '../../machine/ops.ts'
import { printCommandLine } from '../../mcp/print-command-line.ts'
import type { FoundServer } from './found-server.ts'
import { describeLaunchFiles, findLaunchFiles, keepLaunchFiles, type LaunchFiles } from './launch-files.ts'

interface ConsentParts extends Pick<Parts, 'approvals' | 'cache' | 'files'> {
  readonly deps: DepsFile
  readonly ops: Ops
}

/**
 * Files that come with a repository may be anybody's: what they start is shown first, to the letter, and asked about again
 * whenever it changes, or what is in the files of the project that it names. A person's own files are the person's word.
 * Undefined where it may be started.
 */
export async function findConsent(
  parts: ConsentParts,
  { name: server, scope, launch, file }: Pick<FoundServer, 'name' | 'scope' | 'launch' | 'file'>,
  operation: Operation,
): Promise<Approval | undefined> {
  if (isOwn(scope)) return undefined
  const name = localServerName(server)
  const wanted = await wantedFor(parts, launch)
  if (await isAgreed(parts, name, wanted)) return undefined
  const { commandLine, files } = wanted
  await keepLaunchFiles(parts, files)
  const what = launch.kind === 'stdio' ? 'this command is run on this machine' : 'this address is called'
  const diff = await findFileChange(parts, name, wanted)
  const since = diff === undefined ? '' : '; files that it runs have changed since you agreed to it'
  const description = `${server} comes with the files of this workspace (${file}): to use it, ${what}: ${commandLine}${since}`
  return parts.approvals.ask(
    {
      approvalType: 'dependency',
      fqdn: name,
      isPinned: false,
      commandLine,
      ...(Object.keys(files).length > 0 && { files }),
      ...(diff !== undefined && { diff }),
      description,
    },
    operation,
  )
}

/** The same as a question that nobody is asked. */
export async function mayStartAtOnce(
  parts: Pick<ConsentParts, 'deps' | 'files' | 'ops'>,
  { name, scope, launch }: Pick<FoundServer, 'name' | 'scope' | 'launch'>,
): Promise<boolean> {
  return isOwn(scope) || isAgreed(parts, localServerName(name), await wantedFor(parts, launch))
}

function isOwn(scope: FoundServer['scope']): boolean {
  return scope === 'user' || scope === 'path'
}

interface WantedLaunch {
  readonly kind: 'command'
  readonly commandLine: string
  readonly files: LaunchFiles
}

async function wantedFor(
  parts: Pick<ConsentParts, 'files' | 'ops'>,
  launch: LocalLaunch,
): Promise<WantedLaunch> {
  return { kind: 'command', commandLine: printLaunch(launch), files: await findLaunchFiles(launch, parts) }
}

/** Undefined where the same command line was never agreed to. */
async function findFileChange(
  parts: ConsentParts,
  name: Name,
  { commandLine, files }: WantedLaunch,
): Promise<string | undefined> {
  const known = await parts.deps.find(name)
  if (known?.kind !== 'command' || known.commandLine !== commandLine) return undefined
  return describeLaunchFiles(parts, known.files ?? {}, files)
}

/** All that is agreed to. What stands in brackets cannot be mistaken for a word: those with brackets are quoted. */
function printLaunch(launch: LocalLaunch): string {
  if (launch.kind === 'http') {
    return [printWord(launch.url), ...inBrackets('headers', printValues(launch.headers))].join(' ')
  }
  const { command, args, env, cwd } = launch
  return [
    printCommandLine({ command, args }),
    ...inBrackets('in', cwd === undefined ? [] : [printWord(cwd)]),
    ...inBrackets('variables', printValues(env)),
  ].join(' ')
}

/**
 * As they are written: what a server gets decides what it does, and `${NAME}` may be any of the person's secrets. Of a secret
 * that stands there in full only its digest is shown, so that another value is another question.
 */
function printValues(values: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(values).sort()
  return names.map((name) => {
    const value = values[name] ?? ''
    const isShown = isDeciding(name) || value.includes('${') || findNamedSecret(name, value) === undefined
    return `${printWord(name)}=${isShown ? JSON.stringify(value) : `(secret ${digestOf(value)})`}`
  })
}

function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 32)
}

function inBrackets(title: string, words: readonly string[]): string[] {
  return words.length === 0 ? [] : [`(${title} ${words.join(' ')})`]
}

function printWord(word: string): string {
  return printCommandLine({ command: word, args: [] })
}
