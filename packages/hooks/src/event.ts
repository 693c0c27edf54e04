export type JsonObject = { readonly [key: string]: unknown }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One event of an agent's session, in pml's terms. */
export interface HookEvent {
  /** Its name in the list of agents. */
  readonly agent: string
  readonly moment: 'before-tool' | 'after-tool' | 'session-start' | 'config-change' | 'other'
  readonly session: string | undefined
  /** The whole path of the folder that the agent works in. */
  readonly cwd: string
  /** The agent's own name for the call, the same before and after it, where it has one. */
  readonly callId?: string | undefined
  /** The agent's name for the tool whose call is over, where it says so. */
  readonly overTool?: string | undefined
  /** What the agent is about to do; always there before a tool, and only then. */
  readonly call: ToolCall | undefined
  /** The file that changed, where the moment is a change of the configuration. */
  readonly changedFile: string | undefined
  /** The agent supports "ask" and really asks a person in this mode. */
  readonly mayAsk: boolean
  /** The agent's name for the event, if the form of the answer depends on it. */
  readonly eventName?: string
}

/** An event that no agent has sent: for examples, and for programs that check before they act. */
export function beforeTool(asked: Pick<HookEvent, 'agent' | 'cwd'> & { readonly call: ToolCall }): HookEvent {
  return { ...asked, moment: 'before-tool', session: undefined, changedFile: undefined, mayAsk: false }
}

/** `tool` is the agent's own name for what it calls. Paths are as the agent wrote them. */
export type ToolCall = WriteCall | EditCall | NotebookCall | PatchCall | ShellCall | McpCall | OtherCall

export interface WriteCall {
  readonly kind: 'write'
  readonly tool: string
  readonly path: string
  readonly content: string
  /** The agent whose tool this is, if its exact output on disk was observed. */
  readonly writer?: string
}

export interface EditCall {
  readonly kind: 'edit'
  readonly tool: string
  readonly path: string
  /** Applied in order. */
  readonly edits: readonly Edit[]
  readonly writer?: string
}

export interface Edit {
  /** Empty: creates the file with `after`. */
  readonly before: string
  readonly after: string
  readonly all: boolean
}

export interface NotebookCall {
  readonly kind: 'notebook'
  readonly tool: string
  readonly path: string
  readonly cell: string | undefined
  readonly source: string
  readonly mode: 'replace' | 'insert' | 'delete'
}

/** The patch format of Codex: `*** Begin Patch`. */
export interface PatchCall {
  readonly kind: 'patch'
  readonly tool: string
  readonly patch: string
  readonly writer?: string
}

export interface ShellCall {
  readonly kind: 'shell'
  readonly tool: string
  readonly command: string
  readonly dialect: 'bash' | 'powershell'
}

export interface McpCall {
  readonly kind: 'mcp'
  readonly tool: string
  readonly server: string
  /** The name of the tool at the server. */
  readonly name: string
  readonly args: JsonObject
  /** How the server was started, where the agent says so. */
  readonly launch: { readonly command: string } | { readonly url: string } | undefined
}

/** Any other tool: one that only reads or that this version does not know. */
export interface OtherCall {
  readonly kind: 'other'
  readonly tool: string
  readonly input: JsonObject
}
