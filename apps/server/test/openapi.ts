import type { TestRegistry } from './registry.ts'

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly Record<string, unknown>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly example?: unknown
}

type Content = Readonly<Record<string, { readonly schema?: object; readonly example?: unknown }>>

export interface OpenApi {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, object>>
}

export async function openApiOf(registry: TestRegistry): Promise<OpenApi> {
  return (await (await registry.fetch('/openapi.json')).json()) as OpenApi
}

export function operationsIn({ paths }: OpenApi) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}
