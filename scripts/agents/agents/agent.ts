import type { Headless, ScriptedCall as Call } from '@pml/hooks/agents'
import type { Place } from '../place.ts'

/** What not every agent can do. */
export type Capability = 'hooks' | 'gateway' | 'subagent' | 'dialog' | 'folder trust in files'

/** A server in the agent's own settings, started by a command. */
export interface StdioServer {
  readonly name: string
  readonly command: readonly [string, ...string[]]
}

/** What `pml hooks doctor --live` says. */
export interface TrustAnswer {
  /** The level of what it read about the folder. */
  readonly trust: 'ok' | 'error' | undefined
  /** How the answer about the call begins. */
  readonly live: string
}

/** How an agent notes which folders it trusts, and what it does in others. */
export interface FolderTrust {
  trust(place: Place): Promise<void>
  /** In a folder that is not trusted, by where the hook is installed. */
  readonly untrusted: Readonly<Record<'project' | 'user', TrustAnswer>>
}

/** How one agent is installed, set up and run in a scenario. */
export interface Agent {
  readonly name: string
  readonly title: string
  readonly package: string
  readonly version: string
  /** What it cannot do, and why. */
  readonly limits: Readonly<Partial<Record<Capability, string>>>
  /** What it puts in front of the reason of a hook that blocks, for the model. */
  blockedBy(call: Call): string
  /** What the model reads when the gateway asks and no person answers. */
  readonly asked: string
  /** Files that it needs before it starts, such as those that stand for a dialog that was answered. */
  prepare(place: Place): Promise<void>
  /** What a person does after hooks were installed. */
  trustHooks(place: Place): Promise<void>
  readonly folderTrust?: FolderTrust
  /** The file that `pml hooks install --scope user` writes, below the home. */
  readonly hookFile: string
  /** Has somebody answer the agent's dialogs for the rest of the run. */
  answerDialogs?(place: Place, answer: string): Promise<void>
  addServer(place: Place, server: StdioServer): Promise<void>
  readonly headless: Headless
  /** Its program, in the folder that it is installed in. */
  program(installed: string): string
  /** Its flags in a scenario, beside those of every headless run; `isYolo` says whether it asks anything at all. */
  flags(isYolo: boolean): readonly string[]
  /** Its variables in a scenario, beside those of every headless run. */
  readonly env: Readonly<Record<string, string>>
  /** Settings of a person who works with a model elsewhere, where settings can say so. */
  useOwnModel?(place: Place): Promise<void>
  /** Has the agent skip the hooks that are in its settings. */
  skipHooks?(place: Place): Promise<void>
}
