import { PmlError, type ErrorCode } from '@pml/core'
import { showInvisible } from '@pml/core/show-invisible'
import { errorResult, type Era } from '@pml/tools/mcp'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  type ListToolsResult,
  type RequestStateCodec,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import type { ContinueWorkflow } from '../api/pml.ts'
import type { Approval } from '../api/approval.ts'
import { digestOf } from '../workspace/prompts/kept-answers.ts'
import { commandFor, factsForAgent, printForAgent } from '../workspace/prompts/print-approval.ts'
import type { ToolResult } from '../mcp/mcp-session.ts'
import { answerIn, formOf, isForForm } from './approval-form.ts'
import type { Gateway, GatewayCall, Waiting } from './gateway.ts'

export interface GatewayServerOptions {
  readonly info: Implementation
  readonly era: Era
  readonly questions: Questions
  /** How a question was answered, and by whose client. */
  tell(message: string): void
  onFault(fault: unknown): void
}

/** What a client carries from a question to its answer: which one, and of which call. */
interface Asked {
  readonly workflowId: string
  readonly digest: string
}

type Questions = RequestStateCodec<Asked>

const LIST_TTL_MS = 5000
const instructions =
  'Tools of MCP servers that were approved for this workspace, as server__tool. pml_search finds more in the registry, pml_add adds one; a person is asked where that is needed. A call that is refused with a question: show it to the person, and make the same call again when it is answered.'

/** Seals what clients carry, so that no client answers for another, or for another call. One for all connections of a gateway. */
export function createQuestions(ttlSeconds: number): Questions {
  return createRequestStateCodec<Asked>({ key: crypto.getRandomValues(new Uint8Array(32)), ttlSeconds })
}

/** The SDK's server for one connection or one request. */
export function createGatewayServer(gateway: Gateway, options: GatewayServerOptions): Server {
  const server = new Server(options.info, {
    capabilities: { tools: { listChanged: true } },
    instructions,
    cacheHints: {
      'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'public' },
    },
    requestState: { verify: options.questions.verify },
    // Answers to forms are looked at word by word; the SDK would make an ajv instance for it.
    jsonSchemaValidator: {
      getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
    },
  })
  server.setRequestHandler('tools/list', async ({ params }) => {
    if (params?.cursor !== undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Cannot find this cursor: all tools are on one page',
      )
    return guarded(options, async () => ({ tools: await gateway.list() }) as ListToolsResult)
  })
  server.setRequestHandler('tools/call', { params: asItCame }, (params, context) =>
    guarded(options, () => answerCall(gateway, { params, context, server, options })),
  )
  return server
}

interface CallParams {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>>
}

const asItCame: StandardSchemaV1<CallParams> = {
  '~standard': { version: 1, vendor: 'pml', validate: (value) => ({ value: value as CallParams }) },
}

interface Answering {
  readonly params: CallParams
  readonly context: ServerContext
  readonly server: Server
  readonly options: GatewayServerOptions
}

async function answerCall(
  gateway: Gateway,
  answering: Answering,
): Promise<CallToolResult | InputRequiredResult> {
  const { params, context, options } = answering
  const request: GatewayCall = { name: params.name, args: params.arguments ?? {} }
  try {
    const asked = context.mcpReq.requestState<Asked>()
    const given = asked && (await answerTo(gateway, { asked, request, answering }))
    const outcome = given
      ? await takeAnswer(gateway, { given, request, answering })
      : await gateway.call(request, waitingOf(context))
    if (!('approvalRequired' in outcome)) return resultOf(outcome)
    return await ask(outcome, { answering, request, gateway })
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    if (error.code === 'unknown_tool')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, error.toJSON())
    return errorResult(error, options.era)
  }
}

/** The client's progress token goes no further than here: between us and the server there is another one. */
function waitingOf({ mcpReq }: ServerContext): Waiting {
  const { _meta: meta, signal } = mcpReq
  const token = meta?.progressToken
  if (token === undefined) return { signal }
  return {
    signal,
    onProgress: (progress) =>
      void mcpReq
        .notify({ method: 'notifications/progress', params: { ...progress, progressToken: token } })
        .catch(() => undefined),
  }
}

interface Replying {
  readonly asked: Asked
  readonly request: GatewayCall
  readonly answering: Answering
}

/** Where nobody has answered, the question stays open; the agent hears what is known of it. */
async function answerTo(
  gateway: Gateway,
  { asked, request, answering: { context, server, options } }: Replying,
): Promise<ContinueWorkflow> {
  if (asked.digest !== digestOf(request))
    throw new PmlError(
      'bad_request',
      `Cannot go on with ${request.name}: the question was about another call`,
    )
  const view = inputResponse(context.mcpReq.inputResponses, ANSWER)
  const given = view.kind === 'elicit' ? answerIn(asked, view) : undefined
  if (given) return given
  const how =
    (view.kind === 'elicit' && unanswered[view.action]) || 'gave none of the answers that were offered'
  const client = clientOf(context, server)
  options.tell(`Not answered: ${client} ${how}: ${request.name}`)
  throw notAnswered(`${client} ${how}`, await gateway.find(asked.workflowId))
}

const unanswered: Readonly<Record<string, string>> = {
  cancel: 'closed the question without an answer',
  decline: 'declined the question, and it cannot be known whether a person saw it',
}

/** An answer that comes too late, or a second time, was none. */
const notTaken: ReadonlySet<string> = new Set<ErrorCode>([
  'unknown_workflow',
  'workflow_answered',
  'workflow_expired',
])

interface Taking {
  readonly given: ContinueWorkflow
  readonly request: GatewayCall
  readonly answering: Answering
}

/** Somebody must be able to find out how an answer came: a client may give it by itself. */
async function takeAnswer(
  gateway: Gateway,
  { given, request, answering: { params, context, server, options } }: Taking,
): Promise<ToolResult | Approval> {
  const word = given.approved ? 'Approved' : 'Rejected'
  const tell = () => options.tell(`${word} by the dialog of ${clientOf(context, server)}: ${params.name}`)
  try {
    const dialog = clientOf(context, server)
    const outcome = await gateway.answer({ ...given, dialog }, waitingOf(context))
    tell()
    return outcome
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    // Somebody was faster at another door, whose answer counts, or at another call, which needs one of its own.
    if (error.code === 'workflow_answered' && given.approved) return gateway.call(request, waitingOf(context))
    if (!notTaken.has(error.code)) tell()
    throw error
  }
}

const ANSWER = 'approval'

interface Asking {
  readonly answering: Answering
  readonly request: GatewayCall
  readonly gateway: Gateway
}

/** In the client's own dialog where it has one; elsewhere as an error that says what to type. */
async function ask(
  approval: Approval,
  { answering: { context, server, options }, request, gateway }: Asking,
): Promise<CallToolResult | InputRequiredResult> {
  if (!isForForm(approval) || !hasForms(context, server)) return errorResult(waitsFor(approval), options.era)
  const doubt = await gateway.findDialogDoubt()
  if (doubt !== undefined) {
    options.tell(`${clientOf(context, server)} was not asked: ${doubt}`)
    return errorResult(waitsFor(approval, `No dialog was opened: ${doubt}.\n`), options.era)
  }
  const { questions } = options
  return inputRequired({
    inputRequests: { [ANSWER]: inputRequired.elicit(formOf(approval)) },
    requestState: await questions.mint(
      { workflowId: approval.workflowId, digest: digestOf(request) },
      context,
    ),
  })
}

/** `form` is the default of a client that names no mode. */
function hasForms({ mcpReq }: ServerContext, server: Server): boolean {
  const envelope = mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

function clientOf({ mcpReq }: ServerContext, server: Server): string {
  const envelope = mcpReq.envelope as { [CLIENT_INFO_META_KEY]?: Implementation } | undefined
  const info = envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion()
  if (!info) return 'an unknown client'
  return showInvisible(`${info.name} ${info.version}`.replaceAll(/\s+/g, ' ')).slice(0, 100)
}

function waitsFor(approval: Approval, before = ''): PmlError {
  const isYesOrNo = approval.approvalType !== 'api_key_required'
  return new PmlError('not_approved', `${before}${printForAgent(approval)}`, {
    ...factsForAgent(approval),
    code: 'ApprovalRequired',
    ...(isYesOrNo && { command: commandFor(approval.workflowId) }),
  })
}

/** Undefined: it was answered elsewhere, or has expired. */
function notAnswered(what: string, approval: Approval | undefined): PmlError {
  if (approval) return waitsFor(approval, `${what}.\n`)
  return new PmlError('not_approved', `Nothing was run: ${what}; make the same call again`)
}

function resultOf({ content, structuredContent, isError, ...more }: ToolResult): CallToolResult {
  return {
    ...more,
    content: content as CallToolResult['content'],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError && { isError }),
  }
}

/** A fault of ours is kept for the person; the client only hears that something is wrong here. */
async function guarded<Result>(
  { onFault }: GatewayServerOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    onFault(error)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error')
  }
}
