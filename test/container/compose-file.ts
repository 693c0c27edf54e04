import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface Service {
  readonly image: string
  readonly build?: string
  readonly profiles?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes: readonly (string | Mount)[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck: { readonly test: readonly string[] }
}

export interface Mount {
  readonly type: string
  readonly source: string
  readonly target: string
  readonly read_only: boolean
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** `${NAME:-default}` or `${NAME:?message}`; the file contains no plain `$`. */
const VARIABLE = /\$\{([A-Z_]+):([-?])([^}]*)\}/g

/** The compose file with these variables filled in. */
export function readComposeFile(path: string, env: Readonly<Record<string, string>>): ComposeFile {
  const document: unknown = parse(readFileSync(path, 'utf8'), { merge: true })
  return interpolate(document, env) as ComposeFile
}

export function variablesIn(text: string): string[] {
  const found = [...text.matchAll(VARIABLE)].map(([, name = '']) => name)
  return [...new Set(found)].sort()
}

/** `NAME=value` sets; `#NAME=value` shows a default. */
export function parseEnvExample(text: string): {
  set: Record<string, string>
  shown: Record<string, string>
} {
  const pairs = (pattern: RegExp) =>
    Object.fromEntries([...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]))
  return { set: pairs(/^([A-Z_]+)=(.*)$/gm), shown: pairs(/^#([A-Z_]+)=(.*)$/gm) }
}

function interpolate(value: unknown, env: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return interpolateText(value, env)
  if (Array.isArray(value)) return value.map((item) => interpolate(item, env))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, env)]))
}

function interpolateText(text: string, env: Readonly<Record<string, string>>): string {
  const done = text.replace(VARIABLE, (_whole, name: string, kind: string, word: string) => {
    const given = env[name] ?? ''
    if (given === '' && kind === '?') throw new Error(`${name}: ${word}`)
    return given === '' ? word : given
  })
  if (done.includes('$')) throw new Error(`Cannot read ${text}: there is a $ that is no variable`)
  return done
}
