import { bytesOf, type Answer, type ByteString } from './answer.ts'

/** The answer to a call may hold a secret. */
export const unkept = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** Of frozen outputs, which a tool may give again. */
const printedOutputs = new WeakMap<object, ByteString>()

export function jsonAnswer(output: object): Answer {
  const printed = printedOutputs.get(output) ?? bytesOf(JSON.stringify(output))
  if (Object.isFrozen(output)) printedOutputs.set(output, printed)
  return answerOf(printed)
}

export function printedAnswer(text: string): Answer {
  return answerOf(bytesOf(text))
}

/** The answer to a hook: always 200, and empty where the registry has no objection. */
export function hookAnswer(body: string): Answer {
  return body === ''
    ? { status: 200, headers: { 'Content-Length': '0', ...unkept }, body: '' }
    : printedAnswer(body)
}

function answerOf(body: ByteString): Answer {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...unkept,
  }
  return { status: 200, headers, body }
}
