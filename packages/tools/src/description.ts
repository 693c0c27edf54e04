const fence = /^```/
const notProse = /^(?:#|\||>|[-*] |\d+\. |<)/

/** Returns the first line of prose: a command's description in lists. */
export function aboutOf(markdown: string): string | undefined {
  let inFence = false
  for (const line of markdown.split('\n').map((line) => line.trim())) {
    if (fence.test(line)) inFence = !inFence
    else if (!inFence && line !== '' && !notProse.test(line)) return line
  }
  return undefined
}

/** Returns the JSON blocks of the section "Examples": arguments as a caller would write them. */
export function examplesIn(markdown: string): string[] {
  const [, section = ''] = /^## Examples?\s*$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(markdown) ?? []
  return Array.from(section.matchAll(/^```json\s*$([\s\S]*?)^```\s*$/gm), ([, block = '']) => block.trim())
}
