import type { JsonObject } from '../event.ts'

/** A call that the scripted model makes. */
export type ScriptedCall =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  /** Whole lines. */
  | { readonly kind: 'edit'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly input: JsonObject }
  | { readonly kind: 'subagent'; readonly prompt: string }

/** A call in the form that one agent expects. */
export interface ToolUse {
  readonly tool: string
  /** A string is the input of a freeform tool. */
  readonly input: JsonObject | string
  readonly namespace?: string
}

interface HeadlessOptions {
  readonly modelUrl: string
  readonly prompt: string
  /** Skips every question of the agent; otherwise it may write files without asking. */
  readonly isYolo: boolean
  /** More of the agent's own flags. */
  readonly flags: readonly string[]
}

/** Arguments of a program and its additional environment variables. */
interface HeadlessStart {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** How to run an agent headless. */
export interface Headless {
  /** The program on PATH. */
  readonly program: string
  /** Uses the model on loopback, without telemetry and updates. */
  start(options: HeadlessOptions): HeadlessStart
  use(call: ScriptedCall, project: string): ToolUse
}

/** An agent that can be run with the settings of a person. */
export interface OwnHeadless extends Headless {
  /** Variables that say where its settings are and what it trusts. */
  readonly variables: readonly string[]
  /** Keeps it from the person's credentials, MCP servers and sessions without affecting hooks. */
  alone(machine: OwnMachine): Alone
}

/** The machine of a person, on which an agent is started with its real settings. */
export interface OwnMachine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly modelUrl: string
  /** The MCP servers in the agent's settings. */
  readonly servers: readonly string[]
  /** A private folder for files that the agent reads at the start. */
  readonly scratch: string
  /** A JSON file; undefined where there is none. Throws a PmlError where it cannot be read. */
  read(file: string): JsonObject | undefined
}

export interface Alone {
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Files that are written before it starts. */
  readonly files?: readonly { readonly path: string; readonly text: string }[]
  /** Links that are made before it starts, to what is there. */
  readonly links?: readonly { readonly path: string; readonly to: string }[]
}
