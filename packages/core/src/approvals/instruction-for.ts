import { commentStylesOf, type CommentStyle } from './comment-styles.ts'
import { specialistName } from './tokens.ts'

/**
 * Instructions for the agent after an approval. The path selects the comment style and is not repeated, since it
 * may contain anything.
 */
export function instructionFor(path: string, specialist: string, token: string): string {
  const retry = 'Send the same content for the same file again: nothing has to be added to it'
  const style = commentStylesOf(path)[0]
  if (style === undefined) return retry
  const place = style === 'member' ? 'as a member of the outermost object' : 'as the last line'
  return `${retry}. If the approval is to be seen in the file, add ${place}: ${printMarker(style, specialist, token)}`
}

/** The marker, without indentation or comma. */
export function printMarker(style: CommentStyle, specialist: string, token: string): string {
  const text = `${specialistName(specialist)}-APPROVED: ${token}`
  if (style === 'member') return `"_approval_token": "${token}"`
  if (style === '/*') return `/* ${text} */`
  if (style === '<!--') return `<!-- ${text} -->`
  return `${style} ${text}`
}
