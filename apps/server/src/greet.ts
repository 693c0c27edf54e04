import type { Logger } from 'pino'

interface Greeting {
  readonly url: string
  readonly adminKey: { readonly key: string; readonly file: string } | undefined
  readonly isTerminal: boolean
  readonly log: Logger
  readonly print: (text: string) => void
}

/** Where it listens, the new key if there is one, and what to try; one JSON line each for a machine. */
export function greet({ url, adminKey, isTerminal, log, print }: Greeting): void {
  if (!isTerminal) {
    if (adminKey) log.info(adminKey, 'admin key created; it is shown only once')
    log.info({ url }, 'listening')
    return
  }
  const key = adminKey
    ? `\n  admin key  ${adminKey.key}\n             shown once; kept in ${adminKey.file}\n`
    : ''
  print(`
  PML Registry listens on ${url}
${key}
  try        curl -iL ${url}/mcp/pml.std.filesystem.read_file
             curl '${url}/mcp?q=file&limit=5'
  read       ${url}/docs
  stop       Ctrl-C

`)
}
