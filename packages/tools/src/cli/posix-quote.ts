/** Quotes for bash and zsh, where only the quote itself is special between single quotes. */
export function posixQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
