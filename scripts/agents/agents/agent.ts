import type { Headless, ScriptedCall as Call } from '@pml/hooks/agents'
import type { Place } from '../place.ts'

/** The abilities that some agents lack. */
export type Capability = 'hooks' | 'gateway' | 'subagent' | 'dialog' | 'folder trust in files'

/** A server in the agent's own settings, started by a command. */
export interface StdioServer {
  readonly name: string
  readonly command: readonly [string, ...string[]]
}

/** The output of `pml hooks doctor --live`. */
export interface TrustAnswer {
  /** The level of its finding about the folder. */
  readonly trust: 'ok' | 'error' | undefined
  /** The start of its message about the call. */
  readonly live: string
}

/** How an agent records trusted folders, and what it does in others. */
export interface FolderTrust {
  trust(place: Place): Promise<void>
  /** The result in an untrusted folder, by the place of the hooks. */
  readonly untrusted: Readonly<Record<'project' | 'user', TrustAnswer>>
}

/** How one agent is installed, set up and run in a scenario. */
export interface Agent {
  readonly name: string
  readonly title: string
  readonly package: string
  readonly version: string
  /** The abilities that it lacks, with the reason. */
  readonly limits: Readonly<Partial<Record<Capability, string>>>
  /** The text before the reason of a hook that blocks, for the model. */
  blockedBy(call: Call): string
  /** The text for the model when the gateway asks and no person answers. */
  readonly asked: string
  /** Files that it needs before it starts, such as the record of an answered dialog. */
  prepare(place: Place): Promise<void>
  /** What a person does after installing the hooks. */
  trustHooks(place: Place): Promise<void>
  readonly folderTrust?: FolderTrust
  /** The file that `pml hooks install --scope user` writes, relative to the home. */
  readonly hookFile: string
  /** Answers the agent's dialogs for the rest of the run. */
  answerDialogs?(place: Place, answer: string): Promise<void>
  addServer(place: Place, server: StdioServer): Promise<void>
  readonly headless: Headless
  /** Its program, relative to the folder it is installed in. */
  program(installed: string): string
  /** Its flags in a scenario, besides those of every headless run; `isYolo` says whether it skips all its questions. */
  flags(isYolo: boolean): readonly string[]
  /** Its variables in a scenario, besides those of every headless run. */
  readonly env: Readonly<Record<string, string>>
  /** Settings of a person who uses another model, if settings can choose it. */
  useOwnModel?(place: Place): Promise<void>
  /** Disables the hooks in the agent's settings. */
  skipHooks?(place: Place): Promise<void>
}
