import type { JsonObject } from '../canonical-json.ts'
import type { Change, FieldChange, Release } from './change.ts'
import { describeCode } from './describe-code.ts'
import { diffKind } from './describe-kind.ts'
import { diffFields } from './diff-fields.ts'
import { documentWarnings, warnOfDisagreement } from './document-warnings.ts'
import { findObject, isCanonical } from './json.ts'
import { countInvisible } from './show-invisible.ts'
import { byteText, findText, sameBytes } from './texts.ts'

/** A release for comparison: a document by its fields, anything else by its lines. */
interface Content {
  readonly document: JsonObject
  /** Bytes of code, or of a document with content beyond its fields. */
  readonly lines: Uint8Array
}

interface Releases {
  readonly before: Release | undefined
  readonly after: Release
}

const nothing: Content = { document: {}, lines: new Uint8Array() }

export function describeContent(before: Release | undefined, after: Release): Change {
  const [old, now] = [before ? contentOf(before) : nothing, contentOf(after)]
  const fields = diffDocuments({ before, after }, { before: old.document, after: now.document })
  const disagreement = warnOfDisagreement(now.document, after)
  if (before && sameContent(before, after)) return { fields: [], warnings: disagreement }
  const { texts, warnings } = readLines(old.lines, now.lines)
  const code = texts.before === texts.after ? undefined : describeCode(texts.before, texts.after)
  return {
    ...(code && { code }),
    fields,
    warnings: [
      ...warnOfForm(now, after),
      ...warnings,
      ...disagreement,
      ...documentWarnings({ before: old.document, after: now.document, fields }),
      ...warnOfInvisible(after),
      ...(code?.isCut ? ['the difference is too long to be shown whole'] : []),
    ],
  }
}

function contentOf({ type, bytes }: Release): Content {
  const text = type === 'deno' ? undefined : findText(bytes)
  const document = findObject(text ?? '')
  if (text === undefined || document === undefined) return { document: {}, lines: bytes }
  return { document, lines: isCanonical(document, text) ? nothing.lines : bytes }
}

function sameContent(a: Release, b: Release): boolean {
  return (a.type === 'deno') === (b.type === 'deno') && sameBytes(a.bytes, b.bytes)
}

/** Omits type and routing if the document only repeats the registry's change of them. */
function diffDocuments(
  releases: Releases,
  documents: { before: JsonObject; after: JsonObject },
): FieldChange[] {
  const fields = diffFields('', documents)
  if (diffKind(releases.before, releases.after).length === 0) return fields
  return fields.filter(
    (field) => (field.path !== 'type' && field.path !== 'routing') || !repeats(field, releases),
  )
}

function repeats({ path, before, after }: FieldChange, releases: Releases): boolean {
  const key = path === 'type' ? 'type' : 'routing'
  const isOld = before === undefined || before === releases.before?.[key]
  return isOld && (after === undefined || after === releases.after[key])
}

/** Decodes both in the same way, so that different bytes are always different texts. */
function readLines(before: Uint8Array, after: Uint8Array) {
  const [old, now] = [findText(before), findText(after)]
  if (old === undefined || now === undefined) {
    const texts = { before: byteText(before), after: byteText(after) }
    return { texts, warnings: ['it is not valid UTF-8: each byte is shown as one character'] }
  }
  const isOnlyEnds = old !== now && unifyEnds(old) === unifyEnds(now)
  return { texts: { before: old, after: now }, warnings: isOnlyEnds ? ['only line endings differ'] : [] }
}

function unifyEnds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function warnOfForm({ lines }: Content, { type }: Release): string[] {
  if (type === 'deno' || lines.length === 0) return []
  return ['the new document is not in its canonical form and is shown as text']
}

function warnOfInvisible({ type, bytes }: Release): string[] {
  const count = countInvisible(findText(bytes) ?? '')
  if (count === 0) return []
  const characters = count === 1 ? 'character' : 'characters'
  const what = type === 'deno' ? 'code' : 'document'
  return [`the new ${what} contains ${count} invisible or direction-changing ${characters}`]
}
