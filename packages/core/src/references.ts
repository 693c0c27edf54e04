/** `${NAME}`, where a variable of the environment belongs. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Replaces every `${NAME}` by its value, once; a name without a value leaves nothing. `form` is another way to write
 * references: its first group is what is looked up.
 */
export function fillReferences(
  text: string,
  valueOf: (name: string) => string | undefined,
  form: RegExp = reference,
): string {
  return text.replaceAll(form, (_whole, name: string) => valueOf(name) ?? '')
}

/** The names that a text refers to, in its order; one that stands twice is there twice. */
export function referencesIn(text: string, form: RegExp = reference): string[] {
  return Array.from(text.matchAll(form), ([, name = '']) => name)
}
