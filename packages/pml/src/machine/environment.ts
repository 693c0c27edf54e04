const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

export type Environment = Readonly<Record<string, string | undefined>>

/** Replaces `${NAME}` by what the environment has for it; a name that it lacks stays empty. */
export function fillReferences(
  text: string,
  values: Environment,
  print: (value: string) => string = String,
): string {
  return text.replaceAll(reference, (_whole, name: string) => print(values[name] ?? ''))
}

/** Servers are told where the workspace is; nobody has to set this. */
export const WORKSPACE = 'WORKSPACE'

/** What opens the gateway over HTTP: who has it could answer questions in the place of a person. */
export const GATEWAY_TOKEN = 'PML_GATEWAY_TOKEN'

/** They are for the registry's own origin and for this gateway: no server and no module gets them, whatever is declared or granted. */
export const ownKeys: readonly string[] = ['PML_API_KEY', GATEWAY_TOKEN]

/** What any program needs to run at all, and nothing that is anybody's secret. */
const common =
  /^(?:path|home|user|logname|shell|lang|lc_\w+|tz|tmpdir|temp|tmp|xdg_\w+|systemroot|systemdrive|windir|comspec|pathext|userprofile|username|appdata|localappdata|programdata|programfiles(?:\(x86\))?|(?:http|https|no|all)_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir))$/i

function isCommon(name: string): boolean {
  return common.test(name)
}

/** The declared variables, and those that every program needs. */
export function environmentFor(env: Environment, declared: readonly string[]): Record<string, string> {
  const entries = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined && !ownKeys.includes(name) && (isCommon(name) || declared.includes(name)),
  )
  return Object.fromEntries(entries) as Record<string, string>
}

/** What the environment has for these names that is not known to everybody. */
export function secretsIn(env: Environment, names: readonly string[]): string[] {
  return names.filter((name) => !isCommon(name)).map((name) => env[name] ?? '')
}

export function missingIn(env: Environment, declared: readonly string[]): string[] {
  return declared.filter((name) => (env[name] ?? '') === '')
}
