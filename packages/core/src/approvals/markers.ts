import { commentStylesOf, type CommentStyle } from './comment-styles.ts'
import { findMemberMarkers } from './member-markers.ts'
import { findSpecialist, specialistSlug } from './tokens.ts'

/** An approval token in content, and the possible contents before it was added. */
export interface Marker {
  readonly token: string
  /** Usually one; two where a line end, or the blanks around a JSON member, may have been added with the marker. */
  readonly originals: readonly string[]
}

interface Line {
  readonly start: number
  /** The end of the line, without its line end. */
  readonly end: number
  /** The start of the next line. */
  readonly next: number
  readonly text: string
}

const label = String.raw`([A-Z][A-Z0-9_-]*)-APPROVED:[ \t]*([0-9A-Za-z-]+)`
const markerLines: Readonly<Record<Exclude<CommentStyle, 'member'>, RegExp>> = {
  '//': new RegExp(String.raw`^//[ \t]*${label}$`),
  '#': new RegExp(String.raw`^#[ \t]*${label}$`),
  '--': new RegExp(String.raw`^--[ \t]+${label}$`),
  '/*': new RegExp(String.raw`^/\*[ \t]*${label}[ \t]*\*/$`),
  '<!--': new RegExp(String.raw`^<!--[ \t]*${label}[ \t]*-->$`),
}

/**
 * The markers in content for a file. Nothing else is removed, so two contents that share an original differ in one
 * marker and nothing more. A marker counts only where it cannot change what the rest of the file means: as the first
 * line, as the line after `#!`, or as the last line, in the usual comment of the file's language, and not next to a line
 * that continues. Elsewhere it is text like any other.
 */
export function findMarkers(path: string, content: string): readonly Marker[] {
  const isJson = content.includes('"_approval_token"')
  if (!isJson && !content.includes('-APPROVED:')) return []
  const styles = commentStylesOf(path)
  const members = isJson && styles.includes('member') ? findMemberMarkers(content) : []
  const style = styles.find((one) => one !== 'member')
  if (style === undefined) return members
  return [...members, ...headMarkers(content, style), ...tailMarkers(content, style, path)]
}

type LineStyle = keyof typeof markerLines

/** A marker in the first line, or in the second after `#!`. The first line of a page may be front matter. */
function headMarkers(content: string, style: LineStyle): readonly Marker[] {
  if (style === '<!--') return []
  const first = lineAt(content, 0)
  const line = content.startsWith('#!') ? lineAt(content, first.next) : first
  const before = line === first ? '' : first.text
  const token = findToken(line.text, style)
  if (token === undefined || line.next >= content.length) return []
  const after = lineAt(content, line.next).text
  if (isContinued(before) || isContinued(after) || !isPlainCode(after)) return []
  return [{ token, originals: [content.slice(0, line.start) + content.slice(line.next)] }]
}

/** A marker in the last line, with or without a line end after it. */
function tailMarkers(content: string, style: LineStyle, path: string): readonly Marker[] {
  const line = lastLine(content)
  const token = findToken(line.text, style)
  if (token === undefined) return []
  const rest = content.slice(0, line.start)
  if (isContinued(lastLine(rest).text) || isOpen(rest, style) || isInHeredoc(rest, path)) return []
  const isUnended = line.next === line.end && rest !== ''
  return [{ token, originals: isUnended ? [rest, rest.replace(/\r?\n$/, '')] : [rest] }]
}

function findToken(text: string, style: LineStyle): string | undefined {
  if (!text.includes('-APPROVED:')) return undefined
  const [, name = '', token = ''] = markerLines[style].exec(text) ?? []
  const specialist = findSpecialist(token)
  return specialist !== undefined && specialistSlug(name) === specialistSlug(specialist) ? token : undefined
}

/** The next line continues such a line: a comment there would end it or become code. */
function isContinued(line: string): boolean {
  let end = line.length
  while (end > 0 && /[\s\p{C}]/u.test(line.charAt(end - 1))) end--
  const visible = line.slice(0, end)
  return ['\\', '??/', '`'].some((sign) => visible.endsWith(sign))
}

/**
 * Code that means the same at any position. Other lines may count only at the top of a file: `#!`, a byte order mark, `#
 * coding:`, directives of a Dockerfile, `<?xml`, `@charset`, `---`, pragmas in a first comment.
 */
function isPlainCode(line: string): boolean {
  return /^[ \t]*[\w$"'([{}]/.test(line)
}

/** Reports whether text ends inside a comment or tag that the end of a marker would close. */
function isOpen(text: string, style: LineStyle): boolean {
  if (style === '/*') return hasOpenComment(text, { start: '/*', end: '*/' })
  return style === '<!--' && (hasOpenComment(text, { start: '<!--', end: '-->' }) || hasOpenTag(text))
}

/** The end must come after the whole start: `/*` + `/` opens a comment and does not close it. */
function hasOpenComment(text: string, { start, end }: { start: string; end: string }): boolean {
  const opened = text.lastIndexOf(start)
  return opened >= 0 && !text.includes(end, opened + start.length)
}

/** A browser ignores an unclosed tag until the `>` of a marker closes it. */
function hasOpenTag(text: string): boolean {
  return text.includes('<') && !text.trimEnd().endsWith('>')
}

const withHeredocs =
  /(?:^|[./\\])(?:sh|bash|zsh|ksh|rb|rake|pm|tf|dockerfile|containerfile|gemfile|rakefile)$/i
const heredoc = /(?<!<)<<([-~]?)(?!<)[ \t]*(?:"([^"\n]+)"|'([^'\n]+)'|\\?([^\s|&;<>()"'\d][^\s|&;<>()"']*))/g
const MOST_HEREDOCS = 100

/** An unterminated here-document contains the rest of the file. */
function isInHeredoc(text: string, path: string): boolean {
  if (!text.includes('<<') || !withHeredocs.test(path)) return false
  const found = [...text.matchAll(heredoc)]
  if (found.length > MOST_HEREDOCS) return true
  return found.some(({ 1: kind, 2: double, 3: single, 4: word, index }) => {
    const blanks = kind === '~' ? /^[ \t]+/ : kind === '-' ? /^\t+/ : /^(?!)/
    const lines = text.slice(index).split('\n')
    return !lines.some((line) => line.replace(blanks, '') === (double ?? single ?? word))
  })
}

function lineAt(content: string, start: number): Line {
  const feed = content.indexOf('\n', start)
  const [end, next] = feed < 0 ? [content.length, content.length] : [feed, feed + 1]
  return { start, end, next, text: content.slice(start, end).replace(/\r$/, '') }
}

function lastLine(content: string): Line {
  const end = content.endsWith('\n') ? content.length - 1 : content.length
  return lineAt(content, content.lastIndexOf('\n', end - 1) + 1)
}
