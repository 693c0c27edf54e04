import { ProtocolError } from '@modelcontextprotocol/server'
import type { Leaving, Toolbox } from '../toolbox.ts'
import { printError, printResult } from './answers.ts'
import { findToolRequest, type ToolRequest } from './find-tool-request.ts'
import type { McpOptions } from './options.ts'
import type { RunningCalls } from './running-calls.ts'
import { callResult, listResult } from './tool-results.ts'

/** A POSTed message, read and parsed. */
interface PostedMessage {
  readonly headers: Pick<Headers, 'get'>
  readonly body: unknown
  readonly leaving: Leaving
}

/** Identifies a client's calls, so that it can cancel them. */
export const SESSION = 'mcp-session-id'

interface DirectAnswers<Caller> {
  readonly toolbox: Toolbox<Caller>
  readonly options: McpOptions
  readonly running: RunningCalls
}

/** Answers a plain request about tools as JSON; undefined for everything else, which the SDK answers. */
export async function answerDirectly<Caller>(
  { toolbox, options: { info, onFault }, running }: DirectAnswers<Caller>,
  message: PostedMessage,
  caller: Caller,
): Promise<string | undefined> {
  const request = findToolRequest(message.headers, message.body)
  if (!request) return undefined
  const session = { toolbox, caller, onFault, era: request.era }
  try {
    if (request.method === 'tools/list') return printResult(request, await listResult(session), info)
    const call = (leaving: Leaving) => callResult(session, request.params, leaving)
    return printResult(request, await callInSession(running, { request, message, call }), info)
  } catch (error) {
    if (error instanceof ProtocolError) return printError(request.id, error)
    throw error
  }
}

interface SessionCall<Result> {
  readonly request: ToolRequest
  readonly message: PostedMessage
  readonly call: (leaving: Leaving) => Promise<Result>
}

/** In the modern era a client cancels by disconnecting; there are no sessions. */
function callInSession<Result>(
  running: RunningCalls,
  { request: { era, id }, message: { headers, leaving }, call }: SessionCall<Result>,
): Promise<Result> {
  const session = era === 'legacy' ? headers.get(SESSION) : null
  return session === null ? call(leaving) : running.run({ session, id, leaving }, call)
}
