import { fillReferences, type ServerConfig } from '@pml/core'

export interface Sandbox {
  /** A folder that exists and is thrown away. */
  readonly workDir: string
  readonly homeDir: string
  /** Where programs are found. */
  readonly path: string
}

/** What a server gets instead of the operator's environment: enough to start, nothing that is anybody's. */
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

/** Fits what the variable's name promises, since servers refuse to start on a folder or an address that is none. */
function placeholderOf(name: string, { workDir }: Sandbox): string {
  if (/(?:DIR|DIRECTORY|PATH|ROOT|FOLDER|WORKSPACE)$/.test(name)) return workDir
  if (/(?:URL|URI|ENDPOINT|HOST|INSTANCE)$/.test(name)) return 'http://127.0.0.1:9'
  return 'placeholder'
}
