const LONGEST = 80

/** Prints an untrusted name for a text that an agent reads: on one line, and too short for instructions. */
export function printName(name: string): string {
  if (/^[\w.@-]{1,80}$/.test(name)) return name
  const cut = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name
  return JSON.stringify(cut.replaceAll(/[^\x20-\x7e…]/g, '?'))
}

export function printNames(names: readonly string[]): string {
  const most = 5
  const rest = names.length > most ? ` and ${names.length - most} more` : ''
  return `${names.slice(0, most).map(printName).join(', ')}${rest}`
}

/** A server name as agents write it in a tool name: one word. */
export function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}
