/** Trims Unicode white space like Codex. JavaScript also trims U+FEFF, and keeps U+0085. */
const blank = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

export function trimBlanksAtEnd(text: string): string {
  let end = text.length
  while (end > 0 && blank.test(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}

export function trimBlanks(text: string): string {
  let start = 0
  while (start < text.length && blank.test(text[start] ?? '')) start++
  return trimBlanksAtEnd(text.slice(start))
}
