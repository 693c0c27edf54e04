export type Environment = Readonly<Record<string, string | undefined>>

/** The folder of the workspace. pml sets it for every server. */
export const WORKSPACE = 'WORKSPACE'

/** The bearer token of the gateway over HTTP. Its holder could answer prompts in place of the person. */
export const GATEWAY_TOKEN = 'PML_GATEWAY_TOKEN'

/** Secrets of pml itself. No server and no module gets them, whatever it declares or is granted. */
export const ownKeys: readonly string[] = ['PML_API_KEY', GATEWAY_TOKEN]

/** Variables that any program needs. None of them holds a secret. */
const common =
  /^(?:path|home|user|logname|shell|lang|lc_\w+|tz|tmpdir|temp|tmp|xdg_\w+|systemroot|systemdrive|windir|comspec|pathext|userprofile|username|appdata|localappdata|programdata|programfiles(?:\(x86\))?|(?:http|https|no|all)_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir))$/i

function isCommon(name: string): boolean {
  return common.test(name)
}

/** The environment of a server: its declared variables and those that every program needs. */
export function environmentFor(env: Environment, declared: readonly string[]): Record<string, string> {
  const entries = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined && !ownKeys.includes(name) && (isCommon(name) || declared.includes(name)),
  )
  return Object.fromEntries(entries) as Record<string, string>
}

/** The values of these variables, apart from the common ones, which are not secret. */
export function secretsIn(env: Environment, names: readonly string[]): string[] {
  return names.filter((name) => !isCommon(name)).map((name) => env[name] ?? '')
}

export function missingIn(env: Environment, declared: readonly string[]): string[] {
  return declared.filter((name) => (env[name] ?? '') === '')
}
