import { PmlError } from '@pml/core'
import type { Upstream } from '../proxy/upstream.ts'
import type { Message } from './webhook-message.ts'

/** Returns the problem, or undefined if the receiver accepted the message. */
export type SendWebhook = (url: string, message: Message) => Promise<string | undefined>

const TIMEOUT_MS = 10_000
const MOST_ANSWER_BYTES = 64 * 1024

/** Sends through the registry's guarded client, which follows no redirects and reaches no private network. */
export function createSendWebhook(upstream: Upstream): SendWebhook {
  return async (address, { body, headers }) => {
    const url = new URL(address)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const target = { url, headers: {}, place: url.origin }
      const answer = await upstream.send(target, { method: 'POST', headers, body: Buffer.from(body), signal })
      await answer.body.dump({ limit: MOST_ANSWER_BYTES, signal })
      const isTaken = answer.statusCode >= 200 && answer.statusCode < 300
      return isTaken ? undefined : `it returned ${answer.statusCode}`
    } catch (error) {
      if (signal.aborted) return `it did not respond within ${TIMEOUT_MS / 1000} s`
      if (error instanceof PmlError) return error.message
      return 'its response was cut off'
    }
  }
}
