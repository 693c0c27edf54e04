import { PmlError } from '@pml/core'
import type { McpSession } from './mcp-session.ts'

/** Shorter ones stand in too many texts that have nothing to do with them. */
const SHORTEST = 6

/** Gives a text without these values. Servers repeat what they were given, in logs and in what they say of failures. */
export function hiderOf(secrets: readonly string[]): (text: string) => string {
  // What servers say comes by lines, and a key may have many.
  const parts = secrets.flatMap((secret) => [secret, ...secret.split(/[\r\n]+/)])
  const long = parts.filter((part) => part.length >= SHORTEST)
  const sorted = long.toSorted((a, b) => b.length - a.length)
  return (text) => sorted.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}

/** What tools answer is left as it is: it is for whoever called them. */
export function hideInErrors(session: McpSession, hide: (text: string) => string): McpSession {
  const hidden = <Result>(work: Promise<Result>) => work.catch(throwHidden(hide))
  return {
    ...session,
    listTools: (asking) => hidden(session.listTools(asking)),
    callTool: (name, args, calling) => hidden(session.callTool(name, args, calling)),
    check: (asking) => hidden(session.check(asking)),
    exitReason: () => {
      const fate = session.exitReason()
      return fate === undefined ? undefined : hide(fate)
    },
  }
}

export function throwHidden(hide: (text: string) => string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof PmlError)) throw error
    throw new PmlError(error.code, hide(error.message), error.detail)
  }
}
