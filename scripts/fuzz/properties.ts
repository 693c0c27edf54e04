import { createHash } from 'node:crypto'
import { errorTable } from '@pml/core'
import type { Answer } from './exchange.ts'
import type { Request } from './requests.ts'
import { requireThat } from './violation.ts'
import { insiders, PRIVATE_MARK, type Operation, type World } from './world.ts'

/** The properties of every response to any request. */
export function checkAnswer(world: World, request: Request, answer: Answer): void {
  const route = findRoute(world, request)
  checkStatus(route, request, answer)
  if (answer.status >= 400) checkError(request, answer)
  checkSecrecy(world, request, answer)
  checkHeaders(request, answer)
}

interface Route {
  readonly path: string
  readonly methods: Readonly<Record<string, Operation>>
}

/** Finds the path in the OpenAPI document for a request. */
export function findRoute({ openapi }: World, { target }: Request): Route | undefined {
  const segments = segmentsOf(target)
  const matches = Object.entries(openapi.paths).filter(([path]) => {
    const parts = path.split('/')
    return (
      parts.length === segments.length &&
      parts.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
    )
  })
  // A literal path wins over one with a parameter.
  const [path, methods] = matches.toSorted(([a], [b]) => parametersIn(a) - parametersIn(b))[0] ?? []
  if (path !== undefined && methods !== undefined) return { path, methods }
  // The document lists the existing tools; calls of others get the same kind of response.
  const [tool] = Object.entries(openapi.paths).filter(([path]) => path.startsWith('/tools/'))
  const isTool = segments.length === 3 && segments[1] === 'tools' && segments[2] !== ''
  return isTool && tool ? { path: '/tools/{name}', methods: tool[1] } : undefined
}

function parametersIn(path: string): number {
  return path.split('{').length - 1
}

/** The parts of the path as the server parses them: without dot segments, each decoded once. */
export function segmentsOf(target: string): string[] {
  const url = `http://x${target}`
  return URL.canParse(url) ? new URL(url).pathname.split('/').map(decode) : []
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The valid key of a request; empty without a header, undefined with an invalid one. */
export function keyOf({ headers }: Request): string | undefined {
  const given = headers.filter(([name]) => name === 'Authorization')
  if (given.length === 0) return ''
  const [, key] = /^bearer <(\w+)>$/i.exec(given[0]?.[1] ?? '') ?? []
  return given.length > 1 || key === 'revoked' ? undefined : key
}

function checkStatus(route: Route | undefined, request: Request, answer: Answer): void {
  const { status, headers } = answer
  const found = () => `${status} ${answer.body.toString('latin1')}`
  // The server behind /proxy does not exist.
  const isExcused =
    status === 501 || status === 503 || (status === 502 && route?.path.startsWith('/proxy/') === true)
  requireThat(status < 500 || isExcused, 'never fails with a 5xx', found)
  if (status === 503 || status === 429)
    requireThat(/^\d+$/.test(headers.get('retry-after') ?? ''), '429 and 503 have Retry-After', found)
  if (errorIn(answer) === 'bad_request') return
  if (status === 431 || status === 408) return
  if (request.method === 'OPTIONS') {
    requireThat(status === 204, 'OPTIONS is answered with 204', found)
    return
  }
  const property = 'an unknown path is 404 not_found'
  if (!route) return requireThat(isError(request, answer, 'not_found'), property, found)
  const operation = route.methods[request.method === 'HEAD' ? 'get' : request.method.toLowerCase()]
  const isStream = route.path === '/mcp' && isRead(request) && status === 405
  if (!operation || isStream) {
    requireThat(isError(request, answer, 'method_not_allowed'), 'another method is 405', found)
    const allow = (headers.get('allow') ?? '').split(', ')
    const expected = isStream ? ['POST'] : methodsOf(route)
    requireThat(
      allow.join() === expected.join(),
      '405 has Allow with what is allowed',
      () => `Allow: ${allow.join(', ')}`,
    )
    return
  }
  requireThat(
    String(status) in operation.responses || status === 304,
    'every status is documented',
    () => `${request.method} ${route.path}: ${found()}`,
  )
  if (needsKey(operation) && (keyOf(request) ?? '') === '')
    requireThat(status >= 400, 'what needs a key is refused without one', found)
}

function methodsOf({ path, methods }: Route): string[] {
  const named = Object.keys(methods).map((method) => method.toUpperCase())
  const head = 'get' in methods && !path.startsWith('/proxy/') ? ['HEAD'] : []
  return [...named, ...head, 'OPTIONS'].toSorted()
}

function needsKey(operation: Operation): boolean {
  const { security } = operation
  return security.length > 0 && security.every((kind) => Object.keys(kind).length > 0)
}

export function jsonIn({ body }: Answer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

export function errorIn(answer: Answer): unknown {
  return jsonIn(answer)?.['error']
}

/** Reports whether a response is this error; HEAD shows only its status. */
export function isError({ method }: Request, answer: Answer, code: keyof typeof errorTable): boolean {
  return answer.status === errorTable[code].status && (method === 'HEAD' || errorIn(answer) === code)
}

/** JSON `{error, message}` with a code of the closed table and its status. */
function checkError(request: Request, answer: Answer): void {
  const { status, headers, body } = answer
  const found = () => `${status} ${body.toString('latin1')} ${JSON.stringify([...headers])}`
  const property = 'an error is JSON {error, message} with a code of the table and its status'
  requireThat(/^application\/json\b/.test(headers.get('content-type') ?? ''), property, found)
  requireThat(headers.get('cache-control') === 'no-store', 'an error is not cached', found)
  requireThat(status !== 401 || headers.has('www-authenticate'), '401 has WWW-Authenticate', found)
  if (request.method === 'HEAD') return
  const error = jsonIn(answer)
  // MCP has its own error format.
  if (error?.['jsonrpc'] === '2.0' && request.method === 'POST') return
  const known = errorTable[error?.['error'] as keyof typeof errorTable] as { status: number } | undefined
  requireThat(known?.status === status, property, found)
  const message = error?.['message']
  requireThat(typeof message === 'string' && message.length > 0 && message.length <= 1100, property, found)
  if (error?.['error'] !== 'bad_request' && error?.['error'] !== 'headers_too_large')
    requireThat(headers.has('x-request-id'), 'an error has a request id', found)
}

/** Names of files, tables and functions, as in stacks, queries and messages of libraries. */
const inner =
  /\n\s+at |node_modules|node:internal|\.(?:ts|js):\d+|\/(?:tmp|home|usr|var|root)\/|Failed query|\bselect\b.+\bfrom\b|\binsert into\b|violates|relation "|syntax error at or near|ECONN|ENOENT|\[object /i

function checkSecrecy(
  { root, keys, entries }: World,
  request: Request,
  { status, headers, body }: Answer,
): void {
  const text = `${[...headers].join('\n')}\n${body.toString('latin1')}`
  const sent = [request.target, ...request.headers.flat(), request.body ?? ''].join('\n')
  const found = () => `${status} ${text}`
  for (const key of Object.values(keys)) {
    const secret = key.split('_').at(-1) ?? key
    requireThat(!text.includes(secret), 'no answer holds a secret', found)
  }
  requireThat(!text.includes(root), 'no answer holds a path of the machine', found)
  if (status >= 400 && !inner.test(decode(sent)))
    requireThat(!inner.test(text), 'no error shows a stack, a query or a path', found)
  if (insiders.has(keyOf(request) ?? '')) return
  const isHidden = !text.includes(PRIVATE_MARK)
  requireThat(isHidden, 'private entries are hidden from those who may not read them', found)
  for (const { visibility, integrity } of entries)
    if (visibility === 'private' && !decode(sent).includes(integrity))
      requireThat(
        !text.includes(integrity),
        'private entries are hidden from those who may not read them',
        found,
      )
}

const idPattern = /^[\w.-]{1,64}$/
const exposed = ['ETag', 'Link', 'Location', 'Repr-Digest', 'X-PML-FQDN', 'X-PML-Routing', 'X-PML-Type']

function checkHeaders(request: Request, { status, headers, body }: Answer): void {
  const found = () => `${status} ${JSON.stringify([...headers])}`
  const id = headers.get('x-request-id')
  if (id !== undefined) {
    const given = request.headers.filter(([name]) => name === 'X-Request-Id').map(([, value]) => value)
    requireThat(idPattern.test(id), 'a request id is one that a log can hold', found)
    if (given.length === 1 && idPattern.test(given[0] ?? ''))
      requireThat(id === given[0], "a request id is the caller's own if it is legal", found)
  }
  const digest = headers.get('repr-digest')
  if (digest !== undefined && status === 200 && request.method !== 'HEAD') {
    const own = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
    requireThat(digest === own, 'Repr-Digest is that of the body', () => `${digest}, but the body has ${own}`)
  }
  if (!isRead(request) || (status === 400 && !headers.has('x-request-id')) || status === 431) return
  requireThat(headers.get('access-control-allow-origin') === '*', 'any page may read', found)
  const shown = headers.get('access-control-expose-headers') ?? ''
  requireThat(
    exposed.every((name) => shown.includes(name)),
    'the PML headers are exposed to pages',
    found,
  )
}
