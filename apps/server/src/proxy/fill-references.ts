import { fillReferences as fillFrom, PmlError, referencesIn, type Name } from '@pml/core'

/** The operator's variables by name. */
export type Variables = ReadonlyMap<string, string>

interface Texts {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export function hasReferences(text: string): boolean {
  return text.includes('${')
}

/** Replaces every `${NAME}` and returns the values used as `secrets`. Errors contain names, never values. */
export function fillReferences(
  name: Name,
  { template: { url, headers }, variables }: { template: Texts; variables: Variables },
): Texts & { readonly secrets: readonly string[] } {
  const used = [url, ...Object.values(headers)].flatMap((text) => referencesIn(text))
  const missing = used.filter((variable) => !variables.has(variable))
  if (missing.length > 0) throw unset(name, [...new Set(missing)].toSorted())
  const broken = used.find((variable) => !/^[\t\x20-\x7e]*$/.test(variables.get(variable) ?? ''))
  if (broken !== undefined)
    throw new PmlError('not_configured', `Cannot proxy ${name}: expected one line of ASCII in ${broken}`)
  const fill = (text: string) => fillFrom(text, (variable) => variables.get(variable))
  const filled = Object.entries(headers).map(([header, value]) => [header, fill(value)])
  const secrets = [...new Set(used)].map((variable) => variables.get(variable) ?? '')
  return { url: fill(url), headers: Object.fromEntries(filled), secrets }
}

function unset(name: Name, missing: readonly string[]): PmlError {
  return new PmlError(
    'not_configured',
    `Cannot proxy ${name}: expected ${missing.join(', ')} in the environment of the registry; an operator can set it`,
    { missing },
  )
}
