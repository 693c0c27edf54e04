/** Between single quotes bash and zsh take everything as it is, but the quote itself. */
export function posixQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
