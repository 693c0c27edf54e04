import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { PmlError } from '@pml/core'
import { isJsonObject, type JsonObject } from '@pml/hooks'
import { GATEWAY, isGatewayEntry, type Editing } from './gateway-entry.ts'

/** Adds or updates the gateway; everything else stays as written. By hand, because smol-toml does not keep comments. */
export function withGatewayToml(text: string, wanted: JsonObject, editing: Editing): string {
  const { key, whenNew = {} } = editing
  const servers = serversIn(text, editing)
  const name = ourNames(servers)[0]
  if (name === undefined && servers[GATEWAY] !== undefined)
    throw refuse(editing, `expected ${key}.${GATEWAY} to be pml serve, got another server; rename that one`)
  const changed =
    name === undefined
      ? withSection(text, [`[${key}.${GATEWAY}]`, ...linesOf({ ...wanted, ...whenNew })])
      : inSection(text, { key, name }, (section) => withLines(section, wanted))
  const { command, args } = wanted
  const more = name === undefined ? whenNew : objectOf(servers[name])
  const after = { ...servers, [name ?? GATEWAY]: { ...more, command, args } }
  return requireMeaning(changed, { before: text, after, editing })
}

/** Removes every gateway; undefined if nothing is left in the file. */
export function withoutGatewayToml(text: string, editing: Editing): string | undefined {
  const servers = serversIn(text, editing)
  const names = ourNames(servers)
  if (names.length === 0) return text
  const left = Object.entries(servers).filter(([name]) => !names.includes(name))
  const changed = names.reduce((rest, name) => withoutSections(rest, { key: editing.key, name }), text)
  requireMeaning(changed, { before: text, after: Object.fromEntries(left), editing })
  return changed.trim() === '' ? undefined : changed
}

function serversIn(text: string, editing: Editing): JsonObject {
  return objectOf(documentOf(text, editing)[editing.key])
}

function documentOf(text: string, editing: Editing): JsonObject {
  try {
    return JSON.parse(JSON.stringify(parse(text))) as JsonObject
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw refuse(editing, 'expected TOML; fix it, then run this again')
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** The gateway entries, the one with the usual name first. */
function ourNames(servers: JsonObject): string[] {
  const names = Object.keys(servers).filter((name) => isGatewayEntry(servers[name]))
  return names.sort((a, b) => Number(b === GATEWAY) - Number(a === GATEWAY))
}

function refuse({ file }: Editing, why: string): PmlError {
  return new PmlError('invalid_config', `Cannot change ${file}: ${why}`)
}

/** Strings and lists of strings are written the same in JSON and TOML. */
function linesOf({ command, args, ...more }: JsonObject): string[] {
  const list = (args as readonly string[]).map((word) => JSON.stringify(word)).join(', ')
  const others = Object.entries(more).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return [`command = ${JSON.stringify(command)}`, `args = [${list}]`, ...others]
}

function withSection(text: string, lines: readonly string[]): string {
  const eol = eolOf(text)
  const start = text === '' || text.endsWith('\n') ? text : `${text}${eol}`
  return `${start}${start.trim() === '' ? '' : eol}${lines.join(eol)}${eol}`
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

interface Section {
  readonly key: string
  readonly name: string
}

function inSection(text: string, section: Section, change: (lines: string) => string): string {
  return partsOf(text)
    .map((part) => (isHeaded(part, section) === 'itself' ? change(part) : part))
    .join('')
}

/** Replaces values on one line. Other forms are caught when the result is parsed and compared. */
function withLines(section: string, wanted: JsonObject): string {
  const [command = '', args = ''] = linesOf(wanted)
  const [withCommand, withArgs] = [
    /^([ \t]*)command[ \t]*=.*?(?=\r?$)/m,
    /^([ \t]*)args[ \t]*=[ \t]*\[[^\]]*\]/m,
  ]
  return section
    .replace(withCommand, (_, indent: string) => `${indent}${command}`)
    .replace(withArgs, (_, indent: string) => `${indent}${args}`)
}

/** Removes the section, its subsections and the empty line before it. Comments on the next section stay. */
function withoutSections(text: string, section: Section): string {
  return partsOf(text).reduce((rest, part) => {
    if (isHeaded(part, section) === undefined) return rest + part
    const after = tailOf(part)
    return (/^[ \t]*#/.test(after) ? rest : rest.replace(/(\n)[ \t]*\r?\n$/, '$1')) + after
  }, '')
}

/** Empty lines and comments at the end. */
function tailOf(part: string): string {
  const lines = part.split(/(?<=\n)/)
  const last = lines.findLastIndex((line) => !/^[ \t]*(?:#.*)?\r?\n?$/.test(line))
  return lines.slice(last + 1).join('')
}

/** The text before the first header, then each header with its section. */
function partsOf(text: string): string[] {
  return text.split(/^(?=[ \t]*\[)/m)
}

function isHeaded(part: string, { key, name }: Section): 'itself' | 'below' | undefined {
  const [, path, rest] =
    /^[ \t]*\[[ \t]*([^\].]+\.[ \t]*(?:"[^"\]]*"|'[^'\]]*'|[\w-]+))[ \t]*([.\]])/.exec(part) ?? []
  if (path === undefined) return undefined
  const [first, second] = path.split(/\.(.*)/s).map((word) => word.trim().replaceAll(/^["']|["']$/g, ''))
  if (first !== key || second !== name) return undefined
  return rest === ']' ? 'itself' : 'below'
}

interface Meaning {
  readonly before: string
  readonly after: JsonObject
  readonly editing: Editing
}

/** Parses the new text and throws if it does not have the wanted values: TOML can be written in many ways. */
function requireMeaning(changed: string, { before, after, editing }: Meaning): string {
  const { key } = editing
  const { [key]: _, ...others } = documentOf(before, editing)
  const isEmpty = Object.keys(after).length === 0
  const wanted = { ...others, ...(isEmpty ? {} : { [key]: after }) }
  if (isDeepStrictEqual(tryDocument(changed, editing), wanted)) return changed
  throw refuse(editing, `expected [${key}.${GATEWAY}] as a section of its own; change it by hand`)
}

function tryDocument(text: string, editing: Editing): JsonObject | undefined {
  try {
    return documentOf(text, editing)
  } catch {
    return undefined
  }
}
