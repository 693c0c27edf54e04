/** `${NAME}`, a reference to an environment variable. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Replaces every `${NAME}` by its value, once; names without a value become empty. `form` is another form of references, whose
 * first group is the name.
 */
export function fillReferences(
  text: string,
  valueOf: (name: string) => string | undefined,
  form: RegExp = reference,
): string {
  return text.replaceAll(form, (_whole, name: string) => valueOf(name) ?? '')
}

/** Returns the names in a text in order, including duplicates. */
export function referencesIn(text: string, form: RegExp = reference): string[] {
  return Array.from(text.matchAll(form), ([, name = '']) => name)
}
