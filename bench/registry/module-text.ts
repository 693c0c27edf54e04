/** Returns a self-contained module of about this size, different for every id. */
export function moduleText(id: string, sizeBytes: number): string {
  const head = `export const description = 'Counts the words of a text, variant ${id}'
export const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
export default async function count_${id}({ text }: { text: string }): Promise<{ words: number }> {
  return { words: text.split(/\\s+/).filter(Boolean).length }
}
`
  const line = (index: number) => `// ${index}: a text without words has none; ${id} agrees.\n`
  let text = head
  for (let index = 1; text.length < sizeBytes; index++) text += line(index)
  return text
}
