import { STATUS_CODES } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { describeRoute, resolver, type DescribeRouteOptions } from 'hono-openapi'
import { z } from 'zod'

export const tags = {
  Catalog: 'Read what the registry offers: modules, servers and their releases.',
  Publishing: 'Publish releases and retire names.',
  Approvals: 'Changes that a hook blocked, and the decisions about them.',
  Patterns: 'Regular expressions that approve or block content without asking a specialist.',
  Audit: 'The signed log of every write and decision, and reports about it.',
  Keys: 'API keys and their scopes.',
  Hooks: 'What the hooks of coding agents send.',
  Tools: 'The registry as tools, over HTTP and over MCP.',
  Proxy: 'Remote MCP servers that the registry calls for its clients.',
  Operations: 'Health, metrics and this documentation.',
}

/**
 * Who may call a route: anyone (`none`), anyone, with private entries for a key with `read:<org>` (`optional`), or a key
 * with the scope. `a|b` is either scope.
 */
type Access = 'none' | 'optional' | { readonly scope: string }

interface Route {
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly access: Access
  readonly parameters?: readonly Parameter[]
  readonly body?: Content
  readonly responses: Readonly<Record<string, object>>
  /** Error statuses besides those that `access` implies. */
  readonly fails?: readonly number[]
}

/** A schema is a JSON Schema, or the result of `named` or `inline`. */
type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description: string
  readonly schema: object
  readonly example?: unknown
}

/** Returns middleware that describes routes in /openapi.json, by operation id. Pass each between path and handler. */
export function describeRoutes<Id extends string>(tag: keyof typeof tags, routes: Record<Id, Route>) {
  const described = Object.entries<Route>(routes).map(([id, route]) => [id, describe(route, { id, tag })])
  return Object.fromEntries(described) as Record<Id, MiddlewareHandler>
}

/** Hides a route that the document describes in another form. */
export const undescribed = describeRoute({ hide: true })

function describe(route: Route, { id, tag }: { id: string; tag: string }): MiddlewareHandler {
  const { description = '', access, parameters = [], body, fails = [], ...rest } = route
  const errors = errorResponses([...failsFor(access), ...fails])
  const operation = {
    ...rest,
    operationId: id,
    tags: [tag],
    description: `${description} ${needs(access)}`.trim(),
    security: securityFor(access),
    parameters,
    ...(body && { requestBody: { required: true, content: body } }),
    responses: { ...route.responses, ...errors },
  }
  // The library's types do not accept plain JSON Schemas.
  return describeRoute(operation as DescribeRouteOptions)
}

export function securityFor(access: Access): Record<string, string[]>[] {
  if (access === 'none') return []
  return access === 'optional' ? [{}, { key: [] }] : [{ key: [] }]
}

/** Returns references to the error responses of these statuses. */
export function errorResponses(statuses: readonly number[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${responseName(status)}` }]),
  )
}

export function responseName(status: number): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replaceAll(/\W/g, '')
}

/** The statuses of requests with an invalid body. */
export const bodyFails = [400, 408, 413, 415, 422]

function failsFor(access: Access): readonly number[] {
  if (access === 'none') return [431]
  return access === 'optional' ? [401, 429, 503] : [401, 403, 429, 503]
}

function needs(access: Access): string {
  if (access === 'none') return ''
  if (access === 'optional') return 'Private entries need a key that may read them.'
  const scopes = access.scope.split('|').map((scope) => `\`${scope}\``)
  return `Needs a key with the scope ${scopes.join(' or ')}.`
}

/** Makes the schema a component of this name. */
export function named(id: string, schema: z.ZodType): object {
  return inline(schema.meta({ id }))
}

export function inline(schema: z.ZodType): object {
  return resolver(schema, { options: { io: 'input', unrepresentable: 'any' } })
}

/** Describes a JSON body. The example of a request must work when it is sent. */
export function json(schema: object, example?: unknown): Content {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } }
}

export function answer(schema: object, description: string) {
  return { description, content: json(schema) }
}

export const anyObject = { type: 'object' }
export const text = { type: 'string' }

export function inPath(name: string, description: string, example: string): Parameter {
  return { name, in: 'path', required: true, description, example, schema: text }
}

/** Returns the parameters of a query schema. Those without an example must be optional. */
export function inQuery(schema: z.ZodObject, examples: Readonly<Record<string, unknown>> = {}): Parameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, property]) => {
    const { description = '', ...rest } = property as { description?: string }
    const example = name in examples && { example: examples[name] }
    return { name, in: 'query', required: required.includes(name), description, schema: rest, ...example }
  })
}
