import { PmlError } from '@pml/core'
import type { McpSession } from './mcp-session.ts'

/** Shorter secrets would match unrelated text. */
const SHORTEST = 6

/** Returns a function that removes these values from a text. Servers repeat them in logs and error messages. */
export function hiderOf(secrets: readonly string[]): (text: string) => string {
  // Server output comes line by line, and a key may span several lines.
  const parts = secrets.flatMap((secret) => [secret, ...secret.split(/[\r\n]+/)])
  const long = parts.filter((part) => part.length >= SHORTEST)
  const sorted = long.toSorted((a, b) => b.length - a.length)
  return (text) => sorted.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}

/** Hides secrets in errors. Results of tools are not changed. */
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
