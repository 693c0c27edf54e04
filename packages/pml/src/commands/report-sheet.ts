import { showInvisible } from '@pml/core/show-invisible'
import { heading, wrap, type Layout } from '@pml/tools/cli'

/** The layout of a report. */
export interface Sheet {
  readonly width: number
  title(text: string): string
  paint(text: string, colour: Colour): string
}

/** The lines of a section; an empty one is left out. */
export type Section = readonly string[]
export type Colour = keyof typeof colours

export const INDENT = '  '
const USUAL_WIDTH = 80
/** The minimum width: in a narrower terminal, wrapped lines are better than cut ones. */
const NARROWEST = 60
/** Longer lines are hard to read. */
const WIDEST = 100
const colours = { red: 31, green: 32, yellow: 33 }

export function sheetFor(layout: Layout): Sheet {
  return {
    width: Math.min(WIDEST, Math.max(NARROWEST, layout.width ?? USUAL_WIDTH)),
    title: (text) => heading(text, layout),
    paint: (text, colour) => (layout.hasColor ? `\u001B[${colours[colour]}m${text}\u001B[39m` : text),
  }
}

/** Returns the value with every text on one line, without control or invisible characters. */
export function harmless<Value>(value: Value): Value {
  if (typeof value === 'string') return oneLine(value) as Value
  if (Array.isArray(value)) return value.map(harmless) as Value
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, harmless(part)])) as Value
}

function oneLine(text: string): string {
  return showInvisible(text.trim().replaceAll(/\r?\n/g, '⏎').replaceAll('\t', ' '))
}

/** Cuts a text to the room, between characters. */
export function cut(text: string, room: number): string {
  if (text.length <= room) return text
  let kept = ''
  for (const character of text) {
    if (kept.length + character.length >= room) break
    kept += character
  }
  return `${kept}…`
}

/** Breaks lines at spaces, and inside words that are longer than the room. */
export function fold(text: string, room: number): string[] {
  return wrap(text, room).flatMap((line) => chop(line, room))
}

/** Breaks lines at the room, anywhere. */
export function chop(text: string, room: number): string[] {
  return text.match(new RegExp(`.{1,${room}}`, 'gsu')) ?? []
}

export function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length))
}

export function alignLeft(texts: readonly string[]): string[] {
  return texts.map((text) => text.padEnd(widest(texts)))
}

export function alignRight(texts: readonly string[]): string[] {
  return texts.map((text) => text.padStart(widest(texts)))
}

/** Joins short texts on one line, which wraps. */
export function listed(parts: readonly string[], { width }: Sheet): string[] {
  return fold(parts.join(' · '), width - INDENT.length).map((line) => `${INDENT}${line}`)
}

export function sayMore(count: number): string[] {
  return count > 0 ? [`${INDENT}… and ${count} more`] : []
}

/** Joins the sections that are not empty. */
export function printSections(sections: readonly Section[]): string {
  const filled = sections.filter((lines) => lines.length > 0)
  return `${filled.map((lines) => lines.map((line) => line.trimEnd()).join('\n')).join('\n\n')}\n`
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** Prints the largest unit that fits and the next smaller one: `2 h 5 min`. */
export function printDuration(seconds: number): string {
  if (seconds < 1) return 'under 1 s'
  const whole = roundedFor(seconds)
  const largest = units.findIndex(([, size]) => whole >= size)
  let left = whole
  const parts = units.slice(largest, largest + 2).map(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? '' : `${count} ${unit}`
  })
  return parts.filter(Boolean).join(' ')
}

/** Rounds to what the second unit shows: 3599.6 s is an hour, and not `59 min 60 s`. */
function roundedFor(seconds: number): number {
  const whole = Math.round(seconds)
  const grain = whole >= 86_400 ? 3600 : whole >= 3600 ? 60 : 1
  return Math.round(whole / grain) * grain
}
