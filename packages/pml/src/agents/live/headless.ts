import type { Environment } from '../../machine/environment.ts'
import type { ToolUse } from './model/dialect.ts'

/** What a scripted model has an agent do. */
export type Call =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  /** Whole lines. */
  | { readonly kind: 'edit'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly input: Input }
  | { readonly kind: 'subagent'; readonly prompt: string }

type Input = Readonly<Record<string, unknown>>

export interface How {
  readonly modelUrl: string
  readonly prompt: string
  /** With the flag that skips every question of the agent's own; else it may write files without asking. */
  readonly isYolo: boolean
  /** More of the agent's own flags. */
  readonly flags: readonly string[]
}

/** The arguments of a program and the variables that it needs beside those of every program. */
export interface Start {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The machine of a person, on which an agent is started with its real settings. */
export interface OwnMachine {
  readonly env: Environment
  readonly modelUrl: string
  /** The MCP servers in the agent's settings. */
  readonly servers: readonly string[]
  /** A private folder for files that the agent reads at the start. */
  readonly scratch: string
}

/** How one agent is run without a person in front of it. */
export interface Headless {
  readonly name: string
  /** The model is the one on loopback; no telemetry, no update. */
  start(how: How): Start
  use(call: Call, project: string): ToolUse
}

/** An agent that can be run with the settings of a person. */
export interface OwnHeadless extends Headless {
  /** Variables that say where its settings are and what it trusts. */
  readonly variables: readonly string[]
  /** Flags and variables that keep it from the person's credentials, MCP servers and sessions, and change nothing about hooks. */
  alone(machine: OwnMachine): Promise<{ flags: readonly string[]; env: Readonly<Record<string, string>> }>
}
