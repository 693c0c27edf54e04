import type { JsonObject, JsonValue } from '../canonical-json.ts'
import { integrityOf } from '../integrity-of.ts'
import type { FieldChange, Release } from './change.ts'
import { cutAround, printInline, printSome } from './cut.ts'
import { memberOf, sameJson } from './json.ts'

const LONGEST_COMMAND = 500

interface Documents {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly fields: readonly FieldChange[]
}

/** The most important changes of a document, in order of severity. */
export function documentWarnings(documents: Documents): string[] {
  return [
    ...warnOfCommand(documents),
    ...warnOfProxy(documents),
    ...warnOfPackage(documents),
    ...warnOfEnvironment(documents),
    ...warnOfTools(documents),
  ]
}

/** The registry says what kind of entry it is; a document that contradicts it can be read in two ways. */
export function warnOfDisagreement(document: JsonObject, release: Release): string[] {
  const warnings = (['type', 'routing'] as const).flatMap((key) => {
    const said = memberOf(document, key)
    if (said === undefined || said === release[key]) return []
    return [`the document says ${key} ${printValue(said)}, but it is served as ${release[key]}`]
  })
  const locked = memberOf(document, 'install', 'lock', 'integrity')
  const isOther = release.tree !== undefined && locked !== undefined && integrityOf(release.tree) !== locked
  return isOther ? [...warnings, 'the packages are not those that the document names'] : warnings
}

function warnOfCommand({ before, after }: Documents): string[] {
  const [old, now] = [before, after].map((document) => memberOf(document, 'install'))
  if (old === undefined || now === undefined) return []
  const isOther = !sameJson(memberOf(old, 'command'), memberOf(now, 'command'))
  const hasOtherArgs = !sameJson(memberOf(old, 'args'), memberOf(now, 'args'))
  if (!isOther && !hasOtherArgs) return []
  const args = memberOf(now, 'args')
  const words = [memberOf(now, 'command'), ...(Array.isArray(args) ? args : [])]
  const line = cutAround(words.map(printValue).join(' '), { at: 0, most: LONGEST_COMMAND })
  return [`${isOther ? 'command' : 'arguments'} changed, now: ${line}`]
}

function warnOfProxy({ before, after }: Documents): string[] {
  const [old, now] = [before, after].map((document) => findUrl(memberOf(document, 'proxyTo')))
  if (!old || !now) return []
  const hosts = `${printInline(old.host)} -> ${printInline(now.host)}`
  return [
    ...(old.host === now.host ? [] : [`proxyTo points to another host: ${hosts}`]),
    ...(old.protocol === 'https:' && now.protocol !== 'https:' ? ['proxyTo is no longer encrypted'] : []),
  ]
}

function warnOfPackage({ before, after }: Documents): string[] {
  const [old, now] = [before, after].map((document) => {
    const [name, version, integrity] = ['package', 'version', 'integrity'].map((key) =>
      memberOf(document, 'install', key),
    )
    return {
      release: [name ?? null, version ?? null],
      integrity,
      isPinned: memberOf(document, 'pinned') === true,
    }
  })
  if (!old || !now) return []
  const hasOtherBytes =
    old.integrity !== undefined && old.integrity !== now.integrity && sameJson(old.release, now.release)
  const named = now.release.map(printValue).join(' ')
  return [
    ...(hasOtherBytes ? [`the same version has other bytes: ${named}`] : []),
    ...(old.isPinned && !now.isPinned ? ['its packages are no longer pinned'] : []),
  ]
}

function warnOfEnvironment({ fields }: Documents): string[] {
  const names = fields
    .filter(
      ({ path, before, after }) => /^(?:install\.)?envRequired$/.test(path) && before === undefined && after,
    )
    .map(({ after }) => printValue(after))
  return names.length === 0 ? [] : [`new environment variables are asked for: ${printSome(names)}`]
}

/** Agents read tool descriptions as instructions. */
function warnOfTools({ fields }: Documents): string[] {
  const isOther = fields.some(({ path, before }) => path === 'toolsDigest' && before !== undefined)
  return isOther ? ['the definitions of its tools changed'] : []
}

function printValue(value: JsonValue | undefined): string {
  return printInline(typeof value === 'string' ? value : JSON.stringify(value ?? null))
}

function findUrl(value: JsonValue | undefined): URL | undefined {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
}
