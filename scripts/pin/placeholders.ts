import { fillReferences, type ServerConfig } from '@pml/core'

export interface Sandbox {
  /** A temporary folder that exists. */
  readonly workDir: string
  readonly homeDir: string
  /** The PATH of the server. */
  readonly path: string
}

/** The environment of a server instead of the operator's: enough to start, without secrets. */
export function environmentOf(config: ServerConfig, sandbox: Sandbox): Record<string, string> {
  const base = { PATH: sandbox.path, HOME: sandbox.homeDir, LANG: 'C.UTF-8' }
  const required = config.envRequired.map((name) => [name, placeholderOf(name, sandbox)])
  const given = Object.entries(config.env).map(([name, value]) => [
    name,
    fill(value, sandbox) || placeholderOf(name, sandbox),
  ])
  return { ...base, ...Object.fromEntries([...required, ...given]) }
}

export function fill(text: string, sandbox: Sandbox): string {
  return fillReferences(text, (name) => placeholderOf(name, sandbox))
}

/** Fits the variable's name, because servers refuse to start with an invalid folder or address. */
function placeholderOf(name: string, { workDir }: Sandbox): string {
  if (/(?:DIR|DIRECTORY|PATH|ROOT|FOLDER|WORKSPACE)$/.test(name)) return workDir
  if (/(?:URL|URI|ENDPOINT|HOST|INSTANCE)$/.test(name)) return 'http://127.0.0.1:9'
  return 'placeholder'
}
