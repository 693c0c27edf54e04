export interface NewAdminKey {
  readonly key: string
  readonly file: string
}

interface Greeting {
  readonly url: string
  readonly adminKey: NewAdminKey | undefined
  readonly isTerminal: boolean
  readonly print: (text: string) => void
}

/** Prints the URL, a new admin key and commands to try. Without a terminal it prints JSON lines, at any log level. */
export function greet({ url, adminKey, isTerminal, print }: Greeting): void {
  if (!isTerminal) {
    const line = (fields: object) =>
      print(`${JSON.stringify({ level: 'info', time: new Date().toISOString(), ...fields })}\n`)
    if (adminKey) line({ msg: 'admin key created; it is shown only once', ...adminKey })
    line({ msg: 'listening', url })
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
