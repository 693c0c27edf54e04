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
  /** Reports how a prompt was answered and by which client. */
  tell(message: string): void
  onFault(fault: unknown): void
}

/** The request state that a client returns with an answer: the prompt and the call. */
interface Asked {
  readonly workflowId: string
  readonly digest: string
}

type Questions = RequestStateCodec<Asked>

const LIST_TTL_MS = 5000
const instructions =
  'Tools of MCP servers that were approved for this workspace, as server__tool. pml_search finds more in the registry, pml_add adds one; some calls need the approval of a person. If a call is refused with a question, show it to the person, and make the same call again after it is answered.'

/** Signs the request state, so that an answer counts only for its client and call. Shared by all connections of a gateway. */
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
    // Answers are checked by hand; the SDK would load ajv for that.
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

/** Progress notifications use the client's token here; the session with the server has its own. */
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

/** The answer in the client's response. Without one the prompt stays open, and the agent gets an error that says so. */
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
  const how = (view.kind === 'elicit' && unanswered[view.action]) || 'chose none of the options'
  const client = clientOf(context, server)
  options.tell(`Not answered: ${client} ${how}: ${request.name}`)
  throw notAnswered(`${client} ${how}`, await gateway.find(asked.workflowId))
}

const unanswered: Readonly<Record<string, string>> = {
  cancel: 'closed the dialog without an answer',
  decline: 'declined the dialog, and it is unknown whether a person saw it',
}

/** Errors for answers that were late or already given, and so do not count. */
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

/** Handles the answer, and reports which client gave it: a client may answer on its own. */
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
    // The prompt was already answered elsewhere, or for another call, which then needs a prompt of its own.
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

/** Asks in the client's dialog if it has one; otherwise returns an error with the command to run. */
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

/** Whether the client supports forms, the default if it names no mode. */
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

/** The error for a prompt without an answer; without `approval` it was answered elsewhere or has expired. */
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

/** Reports internal errors to the person; the client gets only "Internal error". */
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
