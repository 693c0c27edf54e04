/** As agents write a name in that of a tool: one word. */
export function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}
