import { z } from 'zod'
import { parseKey } from './keys/key-text.ts'
import { isAllowEntry } from './proxy/allow-list.ts'

export interface Config {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  readonly configDir: string
  readonly databaseUrl: string | undefined
  readonly adminKey: string | undefined
  /** The file of the key that signs the audit log; defaults to `log-key` in the data directory. */
  readonly logKeyFile: string | undefined
  readonly publicUrl: string | undefined
  readonly logLevel: string
  readonly cacheBytes: number
  readonly cacheFileBytes: number
  readonly poolSize: number
  /** Requests per minute and caller; reads are unlimited by default. */
  readonly writesPerMinute: number
  readonly readsPerMinute: number | undefined
  readonly disabledTools: readonly string[]
  /** Host names under which clients reach the registry, besides that of its public URL. */
  readonly allowedHosts: readonly string[]
  /** Whether to take a caller's address from the X-Forwarded-For header of the reverse proxy. */
  readonly trustProxy: boolean
  /** Hosts and networks that the proxy may connect to, besides public https servers. */
  readonly proxyAllow: readonly string[]
  /** The total memory for request bodies. */
  readonly bodyBudgetBytes: number
}

const MEBIBYTE = 1024 * 1024

const environment = z.object({
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  PML_DATA_DIR: z.string().min(1).default('./data'),
  PML_CONFIG_DIR: z.string().min(1).default('./config'),
  DATABASE_URL: z
    .string()
    .refine(
      isPostgresUrl,
      'expected postgres://user:password@host:port/database; write # ? / in a password as %23 %3F %2F',
    )
    .optional(),
  PML_ADMIN_KEY: z
    .string()
    .refine(
      (text) => parseKey(text) !== undefined,
      'expected pml_<id>_<secret> with a secret of at least 16 letters or digits',
    )
    .optional(),
  PML_LOG_KEY_FILE: z.string().min(1).optional(),
  PML_PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'expected an http or https URL' }).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  PML_CACHE_MB: whole(1, 65_536).default(64),
  PML_CACHE_FILE_MB: whole(16, 1_048_576).default(512),
  PML_DATABASE_POOL: whole(1, 1000).default(10),
  PML_WRITES_PER_MINUTE: whole(1, 10_000_000).default(6000),
  PML_READS_PER_MINUTE: whole(1, 10_000_000).optional(),
  PML_DISABLED_TOOLS: z
    .string()
    .regex(/^[a-z0-9_]+(?: *, *[a-z0-9_]+)*$/, 'expected tool names, separated by commas')
    .transform((text) => text.split(/ *, */))
    .default([]),
  PML_ALLOWED_HOSTS: z
    .string()
    .regex(/^[\w.:[\]-]+(?: *, *[\w.:[\]-]+)*$/, 'expected host names, separated by commas')
    .transform((text) => text.split(/ *, */))
    .default([]),
  PML_PROXY_ALLOW: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (parts) => parts.every(isAllowEntry),
      'expected hosts, addresses or ranges such as 10.0.0.0/8, each with or without a port, separated by commas',
    )
    .default([]),
  PML_BODY_BUDGET_MB: whole(32, 65_536).default(128),
  PML_TRUST_PROXY: z.enum(['true', 'false']).default('false'),
})

type ConfigResult = { readonly config: Config } | { readonly problems: readonly string[] }

/** Parses all settings and reports all problems together. An empty variable counts as unset. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const result = environment.safeParse(given)
  if (!result.success) {
    return { problems: result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) }
  }
  const values = result.data
  return {
    config: {
      port: values.PORT,
      host: values.HOST,
      dataDir: values.PML_DATA_DIR,
      configDir: values.PML_CONFIG_DIR,
      databaseUrl: values.DATABASE_URL,
      adminKey: values.PML_ADMIN_KEY,
      logKeyFile: values.PML_LOG_KEY_FILE,
      publicUrl: values.PML_PUBLIC_URL?.replace(/\/+$/, ''),
      logLevel: values.LOG_LEVEL,
      cacheBytes: values.PML_CACHE_MB * MEBIBYTE,
      cacheFileBytes: values.PML_CACHE_FILE_MB * MEBIBYTE,
      poolSize: values.PML_DATABASE_POOL,
      writesPerMinute: values.PML_WRITES_PER_MINUTE,
      readsPerMinute: values.PML_READS_PER_MINUTE,
      allowedHosts: values.PML_ALLOWED_HOSTS,
      disabledTools: values.PML_DISABLED_TOOLS,
      proxyAllow: values.PML_PROXY_ALLOW,
      bodyBudgetBytes: values.PML_BODY_BUDGET_MB * MEBIBYTE,
      trustProxy: values.PML_TRUST_PROXY === 'true',
    },
  }
}

/**
 * Returns the variables that `${NAME}` in a server's configuration may use: all but the registry's own settings, because
 * its keys and its database URL must never be sent to another server.
 */
export function variablesIn(env: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, string> {
  const own = new Set([...Object.keys(environment.shape), 'PGPASSWORD'])
  const given = Object.entries(env).filter(([name, value]) => value && !own.has(name))
  return new Map(given as [string, string][])
}

function whole(least: number, most: number) {
  const expected = `expected a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,8}$/, expected)
    .transform(Number)
    .pipe(z.number().min(least, expected).max(most, expected))
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)
}
