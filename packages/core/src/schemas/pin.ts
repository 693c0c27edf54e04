import { z } from 'zod'

/** npm's own rules for names, including the capitals that only old packages have. */
const PACKAGE = '(?:@[A-Za-z0-9~_-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~_-][A-Za-z0-9._~-]*'
const FOLDER = `node_modules/${PACKAGE}`
const PATH_PART = '(?!\\.\\.?(?:/|$))[A-Za-z0-9._@+~ -]+'

/** One name for it keeps the JSON Schema short. */
const json = z.json().meta({ id: 'json' })
const packageName = z
  .string()
  .regex(new RegExp(`^${PACKAGE}$`))
  .max(214)
const exactVersion = z.string().regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/)
/** 64 bytes in base64, where the last character has only four values. */
const sha512 = z.string().regex(/^sha512-[A-Za-z0-9+/]{85}[AQgw]==$/)
const versionsByName = z.record(packageName, z.string())

const lockEntrySchema = z
  .object({
    name: z.string().optional().describe('The real name of a package that is installed under another name.'),
    version: exactVersion.optional(),
    integrity: sha512.optional(),
    resolved: z
      .never({ error: 'expected no address: a package from git, a file or an address cannot be pinned' })
      .optional()
      .describe('Never present: the client chooses where packages come from.'),
    link: z
      .never({ error: 'expected a package, got a link to a folder' })
      .optional()
      .describe('Never present: a link points outside of the locked tree.'),
    inBundle: z
      .boolean()
      .optional()
      .describe('Part of the tarball of the package above it, and covered by its hash.'),
    hasInstallScript: z.boolean().optional(),
    bin: z.record(z.string(), z.string()).optional(),
    dependencies: versionsByName.optional(),
    optionalDependencies: versionsByName.optional(),
    peerDependencies: versionsByName.optional(),
    bundleDependencies: z.union([z.boolean(), z.array(packageName)]).optional(),
  })
  .catchall(json)

const lockSchema = z
  .strictObject({
    name: z.string(),
    lockfileVersion: z.literal(3),
    requires: z.literal(true).optional(),
    packages: z.record(z.string().regex(new RegExp(`^(?:${FOLDER}(?:/${FOLDER})*)?$`)), lockEntrySchema),
  })
  .describe('The package-lock.json (version 3) of the whole tree, without addresses.')

const toolSchema = z
  .object({
    name: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
    description: z.string().optional(),
    inputSchema: z.object({ type: z.literal('object') }).catchall(json),
  })
  .catchall(json)
  .describe('A tool definition from the server.')

const pinSchema = z
  .strictObject({
    $schema: z.literal('../pin.schema.json'),
    server: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
      .describe('The key of the server in mcp-servers.json, and the name of this file.'),
    spec: z.string().min(1).describe('The package specification in the configuration.'),
    package: packageName.describe('The chosen npm package.'),
    version: exactVersion.describe('Its exact version.'),
    integrity: sha512.describe('The SHA-512 of its tarball, as in the lock.'),
    bin: z
      .string()
      .regex(new RegExp(`^${FOLDER}(?:/${PATH_PART})+$`))
      .describe('The file to start with Node, relative to the installation.'),
    lock: lockSchema,
    tools: z
      .array(toolSchema)
      .nullable()
      .describe('The tools of the server when it was pinned, sorted by name; null if it was not started.'),
  })
  .describe(
    'The exact npm tree and the tools of one MCP server. Written by "npm run pin", reviewed by a person.',
  )

export type Pin = z.infer<typeof pinSchema>
export type PinLock = Pin['lock']
export type LockEntry = PinLock['packages'][string]
export type { ToolDefinition } from '../tool-definition.ts'

type Report = (path: (string | number)[], message: string) => void

/** Refinements keep the order of members, because they do not copy the value. */
export function isPin(value: unknown, report: Report): value is Pin {
  return fits(pinSchema, { value, report })
}

export function isLock(value: unknown, report: Report): value is PinLock {
  return fits(lockSchema, { value, report })
}

/** The JSON Schema that editors use for `config/pins/*.json`. */
export function pinJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(pinSchema) }
}

function fits(schema: z.ZodType, { value, report }: { value: unknown; report: Report }): boolean {
  const { success, error } = schema.safeParse(value)
  for (const { path, message } of error?.issues ?? []) {
    report(
      path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
      message,
    )
  }
  return success
}
