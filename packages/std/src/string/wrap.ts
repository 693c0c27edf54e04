export const description = 'Breaks text into lines of at most a number of characters, between words'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to break; blank lines between paragraphs are kept' },
    width: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 80,
      description: 'Most characters of a line',
    },
    indent: { type: 'string', default: '', description: 'What every line starts with, counted in the width' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function wrap(args: {
  text: string
  width?: number
  indent?: string
}): Promise<{ text: string }> {
  const { text, width = 80, indent = '' } = args
  if (typeof text !== 'string') throw wrong('text to be a string', typeof text)
  if (typeof indent !== 'string') throw wrong('indent to be a string', typeof indent)
  if (!Number.isInteger(width) || width < 1 || width > 1000) {
    throw wrong('width to be an integer from 1 to 1000', JSON.stringify(width))
  }
  if ([...indent].length >= width) throw wrong(`indent to be shorter than ${width} characters`, `'${indent}'`)

  const room = width - [...indent].length
  const paragraphs = text.split(/\n[ \t\r]*\n/).map((paragraph) => linesOf(paragraph, room))
  return { text: paragraphs.map((lines) => lines.map((line) => indent + line).join('\n')).join('\n\n') }
}

/** A word that is longer than a line has a line of its own: a broken link is of no use. */
function linesOf(paragraph: string, room: number): string[] {
  const lines: string[] = []
  let length = 0
  for (const word of paragraph.split(/\s+/).filter((part) => part !== '')) {
    const wordLength = [...word].length
    const fits = lines.length > 0 && length + 1 + wordLength <= room
    if (fits) lines.push(`${lines.pop()} ${word}`)
    else lines.push(word)
    length = fits ? length + 1 + wordLength : wordLength
  }
  return lines
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot wrap: expected ${expected}, got ${got}`)
}
