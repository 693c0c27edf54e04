/** What a text of a document is when its references stand for something: `standsFor` gives the expression for each. */
export function textPattern(text: string, standsFor: (reference: string) => string): RegExp {
  const parts = text
    .split(/(\$\{[A-Za-z_]\w*\})/)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : standsFor(part)))
  return new RegExp(`^${parts.join('')}$`, 's')
}

export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
