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
 * Files of a repository may come from anybody, so a person must agree to the exact command before it is started, and again
 * when it or a project file that it names has changed. Servers in the person's own files need no consent. Undefined if the
 * server may be started.
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
  const since = diff === undefined ? '' : '; files that it runs have changed since you agreed'
  const description = `${server} is configured in this workspace (${file}). To use it, ${what}: ${commandLine}${since}`
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

/** Whether the server may be started without a prompt. */
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

/** Changes in project files since the consent to the same command line; undefined without such a consent. */
async function findFileChange(
  parts: ConsentParts,
  name: Name,
  { commandLine, files }: WantedLaunch,
): Promise<string | undefined> {
  const known = await parts.deps.find(name)
  if (known?.kind !== 'command' || known.commandLine !== commandLine) return undefined
  return describeLaunchFiles(parts, known.files ?? {}, files)
}

/** Everything that the consent covers. Words with parentheses are quoted, so the parts in parentheses are unambiguous. */
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
 * Values as they are written: they decide what a server does, and `${NAME}` may be any secret of the person. A literal
 * secret is shown as a digest, so that another value needs another consent.
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
