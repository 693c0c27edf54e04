import { bytesOf, type Answer, type ByteString } from './answer.ts'

/** Keeps responses out of caches: the result of a call may hold a secret. */
export const unkept = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** JSON of frozen outputs, which a tool may return again. */
const printedOutputs = new WeakMap<object, ByteString>()

export function jsonAnswer(output: object): Answer {
  const printed = printedOutputs.get(output) ?? bytesOf(JSON.stringify(output))
  if (Object.isFrozen(output)) printedOutputs.set(output, printed)
  return answerOf(printed)
}

export function printedAnswer(text: string): Answer {
  return answerOf(bytesOf(text))
}

/** The response to a hook: always 200, with an empty body if the registry does not object. */
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
