import { isDeepStrictEqual } from 'node:util'
import { stripComments, type Node } from 'jsonc-parser'
import type { JsonObject } from '@pml/hooks'
import {
  findObject,
  keepingMark,
  memberOf,
  outermost,
  parseMarkedText,
  plainValue,
  problemAt,
  without,
  withLast,
  withValue,
  type JsonText,
} from './json-text.ts'
import { GATEWAY, isGatewayEntry, type Editing } from './gateway-entry.ts'

/** Adds or updates the gateway; everything else stays as written. An empty text is a new file. */
export function withGateway(text: string, wanted: JsonObject, editing: Editing): string {
  const { key } = editing
  if (text.trim() === '') return `${JSON.stringify({ [key]: { [GATEWAY]: wanted } }, null, 2)}\n`
  return keepingMark(text, (plain) => {
    const source = parseMarkedText(plain, editing.file)
    const servers = findObject(source, source.root, key)
    if (servers === undefined) return withLast(source, source.root, { key, value: { [GATEWAY]: wanted } })
    const ours = ourServers(source, editing)[0]
    if (ours) return withLine(plain, ours.name, { wanted, editing })
    const other = memberOf(source, servers, GATEWAY)
    if (other)
      throw problemAt(source, other.offset, `expected "${GATEWAY}" to be pml serve, got another server`)
    return withLast(source, servers, { key: GATEWAY, value: wanted })
  })
}

/** Removes every gateway; undefined if nothing else is left in the file. */
export function withoutGateway(text: string, editing: Editing): string | undefined {
  if (text.trim() === '') return text
  const changed = keepingMark(text, (plain) => withoutAll(plain, editing))
  if (changed === text) return text
  const { root } = parseMarkedText(changed, editing.file)
  return root.children?.length === 0 && stripComments(changed) === changed ? undefined : changed
}

function withoutAll(text: string, editing: Editing): string {
  const source = parseMarkedText(text, editing.file)
  const node = ourServers(source, editing)[0]?.node
  return node ? withoutAll(without(source, outermost(source, node)), editing) : text
}

/** Updates the command line of an entry. A person's additions, such as variables, stay. */
function withLine(
  text: string,
  name: string,
  { wanted, editing }: { wanted: JsonObject; editing: Editing },
): string {
  let changed = text
  for (const key of ['command', 'args']) {
    const isWanted = key in wanted
    const source = parseMarkedText(changed, editing.file)
    const server = serversIn(source, editing).find((one) => one.name === name)?.node
    const node = server && memberOf(source, server, key)
    if (server && !node && isWanted) changed = withLast(source, server, { key, value: wanted[key] })
    if (node && isWanted && !isDeepStrictEqual(plainValue(node), wanted[key]))
      changed = withValue(source, node, wanted[key])
    if (node && !isWanted) changed = without(source, node.parent ?? node)
  }
  return changed
}

interface NamedServer {
  readonly name: string
  readonly node: Node
}

/** The gateway entries, the one with the usual name first. */
function ourServers(source: JsonText, editing: Editing): NamedServer[] {
  const ours = serversIn(source, editing).filter(({ node }) => isGatewayEntry(plainValue(node)))
  return ours.sort((a, b) => Number(b.name === GATEWAY) - Number(a.name === GATEWAY))
}

function serversIn(source: JsonText, { key }: Editing): NamedServer[] {
  return (findObject(source, source.root, key)?.children ?? []).flatMap(({ children }) => {
    const [name, node] = children ?? []
    return node ? [{ name: String(name?.value), node }] : []
  })
}
