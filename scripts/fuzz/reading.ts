import type { ErrorCode } from '@pml/core'
import { catalogPage, metadata } from '@pml/core/schemas'
import type { Answer } from './exchange.ts'
import { errorIn, isError, isRead, jsonIn, keyOf, segmentsOf } from './properties.ts'
import type { Request } from './requests.ts'
import { requireThat } from './violation.ts'
import { insiders, integrityOf, type Entry, type World } from './world.ts'

/** A request to an address from a response, which must be answered with 200. */
export type FollowUp = { readonly target: string; readonly property: string } | undefined

/** The rules of the contract for reads of the fuzzer's published entries. */
export function checkRead(world: World, request: Request, answer: Answer): FollowUp {
  if (!isRead(request) || answer.status === 431 || errorIn(answer) === 'bad_request') return undefined
  const [, first, second, third, ...more] = segmentsOf(request.target)
  if (more.length > 0 || second === '') return undefined
  if (first === 'mcp' && second === undefined) return checkPage(request, answer)
  if (first === 'mcp' && third === undefined)
    return checkEntry(world, request, { answer, text: second ?? '' })
  if (first === 'mcp' && third === 'metadata')
    return checkMetadata(world, request, { answer, text: second ?? '' })
  if (first === 'blobs' && second !== undefined && third === undefined)
    return checkBlob(world, request, { answer, text: second })
  return undefined
}

interface Asked {
  readonly answer: Answer
  /** The part of the path that names the entry, decoded. */
  readonly text: string
}

const component = '[A-Za-z_][A-Za-z0-9_-]{0,63}'
const reference = new RegExp(`^(${component}(?:\\.${component}){3})(?:\\.([A-Za-z0-9_-]+))?$`)

type Expected =
  | { readonly kind: 'error'; readonly status: number; readonly code: ErrorCode; readonly message?: string }
  | { readonly kind: 'mismatch' | 'redirect' | 'found'; readonly entry: Entry; readonly hash: string }
  | { readonly kind: 'anything' }

function expectEntry({ entries }: World, request: Request, text: string): Expected {
  const [, name, hash = ''] = reference.exec(text) ?? []
  if (name === undefined) return { kind: 'error', status: 400, code: 'invalid_fqdn' }
  if (keyOf(request) === undefined) return { kind: 'error', status: 401, code: 'unauthorized' }
  const entry = entries.find((entry) => entry.name === name)
  if (name.startsWith('fuzz.')) return { kind: 'anything' }
  if (!entry || !mayRead(request, entry))
    return { kind: 'error', status: 404, code: 'not_found', message: `MCP '${name}' not in registry` }
  if (entry.retired) return { kind: 'error', status: 410, code: 'gone' }
  if (hash === '') return { kind: 'redirect', entry, hash }
  const isRight = hash.length >= entry.hash.length && entry.integrity.startsWith(`sha256-${hash}`)
  return { kind: isRight ? 'found' : 'mismatch', entry, hash }
}

function checkEntry(world: World, request: Request, { answer, text }: Asked): FollowUp {
  const expected = expectEntry(world, request, text)
  if (expected.kind === 'anything') return undefined
  if (expected.kind === 'error') return requireError(request, answer, expected)
  const { entry, hash } = expected
  if (expected.kind === 'mismatch') return requireMismatch(request, answer, { entry, hash })
  const { status, headers } = answer
  const found = () => `${status} ${JSON.stringify([...headers])} ${answer.body.toString('latin1')}`
  const fqdn = `${entry.name}.${entry.hash}`
  if (expected.kind === 'redirect') {
    const property = '4 parts are a 302 to the current FQDN, not cached'
    requireThat(status === 302 && headers.get('location') === `/mcp/${fqdn}`, property, found)
    requireThat(headers.get('cache-control') === 'no-cache', property, found)
    return { target: `/mcp/${fqdn}`, property: 'a redirect leads to 200' }
  }
  const isKnown = matchesTag(request, `"${entry.integrity}"`)
  requireThat(
    status === (isKnown ? 304 : 200),
    isKnown ? 'If-None-Match gives 304' : 'the right hash is 200',
    found,
  )
  const isPublic = entry.visibility === 'public'
  const wanted: Record<string, string> = {
    etag: `"${entry.integrity}"`,
    'x-pml-type': entry.type,
    'x-pml-fqdn': fqdn,
    ...(isPublic ? { 'cache-control': 'public, max-age=3600' } : {}),
    ...(isKnown ? {} : { 'x-content-type-options': 'nosniff', 'content-type': mediaTypeOf(entry) }),
  }
  for (const [name, value] of Object.entries(wanted))
    requireThat(headers.get(name) === value, `200 and 304 have ${name} as the contract says`, found)
  requireThat(
    /^(?:client|server)$/.test(headers.get('x-pml-routing') ?? ''),
    '200 and 304 have x-pml-routing',
    found,
  )
  requirePrivacy(entry.visibility === 'private', answer)
  requireThat(isKnown || headers.has('repr-digest'), '200 has Repr-Digest', found)
  if (isKnown || request.method === 'HEAD') return undefined
  if (entry.type === 'deno')
    requireThat(answer.body.equals(Buffer.from(entry.source)), 'code is served byte for byte', found)
  else {
    const { fqdn: own, integrity } = jsonIn(answer) ?? {}
    requireThat(own === fqdn && integrity === entry.integrity, 'a document names itself', found)
  }
  return undefined
}

function mediaTypeOf({ type }: Entry): string {
  return type === 'deno' ? 'application/typescript; charset=utf-8' : 'application/json'
}

function requireError(
  request: Request,
  answer: Answer,
  { status, code, message }: Expected & { kind: 'error' },
): undefined {
  const found = () => `${answer.status} ${answer.body.toString('latin1')}`
  if (status === 401 && answer.status === 429) return undefined
  requireThat(isError(request, answer, code), `expected ${status} ${code}`, found)
  if (message !== undefined && request.method !== 'HEAD')
    requireThat(jsonIn(answer)?.['message'] === message, `${code} has the message of the contract`, found)
  return undefined
}

function requireMismatch(
  request: Request,
  answer: Answer,
  { entry: { name, hash: current }, hash }: { entry: Entry; hash: string },
): FollowUp {
  const found = () => `${answer.status} ${answer.body.toString('latin1')}`
  const property = 'a wrong hash is 404 hash_mismatch with the current FQDN'
  requireThat(answer.status === 404, property, found)
  if (request.method === 'HEAD') return undefined
  const { error, message, currentFqdn } = jsonIn(answer) ?? {}
  const told = `Hash '${hash.slice(0, 64)}' does not match current hash '${current}' for ${name}`
  requireThat(
    error === 'hash_mismatch' && message === told && currentFqdn === `${name}.${current}`,
    property,
    found,
  )
  return { target: `/mcp/${String(currentFqdn)}`, property: 'currentFqdn works' }
}

function checkMetadata(world: World, request: Request, { answer, text }: Asked): FollowUp {
  const expected = expectEntry(world, request, text)
  if (expected.kind === 'anything') return undefined
  if (expected.kind === 'error') return requireError(request, answer, expected)
  const { entry, hash } = expected
  if (expected.kind === 'mismatch') return requireMismatch(request, answer, { entry, hash })
  const found = () => `${answer.status} ${answer.body.toString('latin1')}`
  requireThat(answer.status === 200, 'metadata is 200', found)
  requirePrivacy(entry.visibility === 'private', answer)
  if (request.method === 'HEAD') return undefined
  const { data } = metadata.safeParse(jsonIn(answer))
  const isRight =
    data?.fqdn === `${entry.name}.${entry.hash}` &&
    data.integrity === entry.integrity &&
    data.type === entry.type &&
    data.visibility === entry.visibility &&
    (entry.type !== 'deno' || data.size === Buffer.byteLength(entry.source)) &&
    data.history.map(({ integrity }) => integrity).join() === entry.superseded.toReversed().join()
  requireThat(isRight, 'metadata is about the entry, with its history', found)
  return undefined
}

function checkBlob({ entries }: World, request: Request, { answer, text: integrity }: Asked): undefined {
  const found = () => `${answer.status} ${JSON.stringify([...answer.headers])}`
  const entry = entries.find((entry) => [entry.integrity, ...entry.superseded].includes(integrity))
  const isLegal = /^sha256-[0-9a-f]{64}$/.test(integrity)
  if (isLegal && keyOf(request) === undefined)
    return requireError(request, answer, { kind: 'error', status: 401, code: 'unauthorized' })
  if (!entry || !mayRead(request, entry))
    return requireError(request, answer, { kind: 'error', status: 404, code: 'not_found' })
  const etag = `"${integrity}"`
  const isKnown = matchesTag(request, etag)
  requireThat(answer.status === (isKnown ? 304 : 200), 'every release is at /blobs', found)
  requireThat(answer.headers.get('etag') === etag, 'a blob has its integrity as ETag', found)
  const isPublic = entry.visibility === 'public'
  const kept = answer.headers.get('cache-control')
  requireThat(
    !isPublic || kept === 'public, max-age=31536000, immutable',
    'a public blob is kept for ever',
    found,
  )
  requirePrivacy(!isPublic, answer)
  if (answer.status === 200 && request.method !== 'HEAD')
    requireThat(integrityOf(answer.body) === integrity, 'a blob has the integrity in its address', found)
  return undefined
}

const wholeNumber = /^\d{1,10}$/
const legal: Record<string, (value: string) => boolean> = {
  type: (value) => ['deno', 'stdio', 'http'].includes(value),
  routing: (value) => ['client', 'server'].includes(value),
  tool: (value) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}:[A-Za-z0-9_.-]{1,128}$/.test(value),
  q: (value) => value.length >= 1 && value.length <= 200 && !value.includes('\0'),
  page: (value) => wholeNumber.test(value) && Number(value) >= 1 && Number(value) <= 1e9,
  limit: (value) => wholeNumber.test(value) && Number(value) >= 1 && Number(value) <= 100,
  // Only the server can tell whether it is the cursor of an earlier response.
  cursor: () => true,
}

function checkPage(request: Request, answer: Answer): undefined {
  const found = () => `${answer.status} ${answer.body.toString('latin1')}`
  if (answer.status === 405) return undefined
  const parameters = [...new URL(`http://x${request.target}`).searchParams]
  const names = parameters.map(([name]) => name)
  const isBad =
    new Set(names).size < names.length ||
    parameters.some(([name, value]) => !(Object.hasOwn(legal, name) && legal[name]?.(value))) ||
    (names.includes('page') && names.includes('cursor'))
  if (isBad) {
    requireError(request, answer, { kind: 'error', status: 400, code: 'invalid_query' })
    if (request.method === 'HEAD') return undefined
    const named = String(jsonIn(answer)?.['parameter'])
    requireThat(
      names.some((name) => name.slice(0, 64) === named),
      'a bad parameter is named',
      found,
    )
    return undefined
  }
  if (keyOf(request) === undefined)
    return names.includes('cursor')
      ? undefined
      : requireError(request, answer, { kind: 'error', status: 401, code: 'unauthorized' })
  if (answer.status === 400 && names.includes('cursor')) return undefined
  const etag = answer.headers.get('etag') ?? ''
  const isKnown = matchesTag(request, etag)
  requireThat(answer.status === (isKnown ? 304 : 200), 'a good query is 200, or 304 with its ETag', found)
  if (answer.status === 304 || request.method === 'HEAD') return undefined
  requireThat(etag === `"${integrityOf(answer.body)}"`, "a page's ETag is the hash of its bytes", found)
  requireThat(catalogPage.safeParse(jsonIn(answer)).success, 'a page is {items, total, page, limit}', found)
  return undefined
}

function requirePrivacy(isPrivate: boolean, { headers }: Answer): void {
  const kept = headers.get('cache-control') ?? ''
  requireThat(
    !isPrivate || /\b(?:private|no-store)\b/.test(kept),
    'what is private is never public',
    () => kept,
  )
}

function mayRead(request: Request, { visibility }: Entry): boolean {
  return visibility === 'public' || insiders.has(keyOf(request) ?? '')
}

/** RFC 9110, 13.1.2: `*`, or a list of entity tags that contains this one, compared weakly. */
function matchesTag({ headers }: Request, etag: string): boolean {
  const fields = headers.filter(([name]) => name === 'If-None-Match').map(([, value]) => value)
  const field = fields.join(', ').trim()
  if (field === '*') return true
  const tag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
  if (!new RegExp(`^[\\s,]*${tag}(?:\\s*,[\\s,]*${tag})*[\\s,]*$`).test(field)) return false
  return [...field.matchAll(new RegExp(tag, 'g'))].some(([found]) => found.replace(/^W\//, '') === etag)
}
