const anyReference = /(\$\{[^}]*\})/

/** What a text is when its references stand for something: `standsFor` gives the expression for each. */
export function textPattern(
  text: string,
  standsFor: (reference: string, isFirst: boolean) => string,
): RegExp {
  const parts = text
    .split(anyReference)
    .map((part, index) =>
      index % 2 === 0 ? escaped(part) : standsFor(part, index === 1 && text.startsWith('$')),
    )
  return new RegExp(`^${parts.join('')}$`, 's')
}

export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
