/** A property that a response violates. */
export class Violation extends Error {
  override readonly name = 'Violation'
  readonly property: string

  constructor(property: string, found: string) {
    super(found.length > 600 ? `${found.slice(0, 600)}…` : found)
    this.property = property
  }
}

export function requireThat(holds: boolean, property: string, found: () => string): void {
  if (!holds) throw new Violation(property, found())
}
