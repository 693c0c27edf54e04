import { showInvisible } from '@pml/core/show-invisible'
import { heading, wrap, type Layout } from '@pml/tools/cli'

/** What a report is written on. */
export interface Sheet {
  readonly width: number
  title(text: string): string
  paint(text: string, colour: Colour): string
}

/** Lines; none for what there is nothing to say about. */
export type Section = readonly string[]
export type Colour = keyof typeof colours

export const INDENT = '  '
const USUAL_WIDTH = 80
/** Below it, what is cut is worth less than what a terminal breaks by itself. */
const NARROWEST = 60
/** Longer lines are hard to follow. */
const WIDEST = 100
const colours = { red: 31, green: 32, yellow: 33 }

export function sheetFor(layout: Layout): Sheet {
  return {
    width: Math.min(WIDEST, Math.max(NARROWEST, layout.width ?? USUAL_WIDTH)),
    title: (text) => heading(text, layout),
    paint: (text, colour) => (layout.hasColor ? `\u001B[${colours[colour]}m${text}\u001B[39m` : text),
  }
}

/** The same with every text in it in one line, which cannot act on the terminal, nor hide anything. */
export function harmless<Value>(value: Value): Value {
  if (typeof value === 'string') return oneLine(value) as Value
  if (Array.isArray(value)) return value.map(harmless) as Value
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, harmless(part)])) as Value
}

function oneLine(text: string): string {
  return showInvisible(text.trim().replaceAll(/\r?\n/g, '⏎').replaceAll('\t', ' '))
}

/** No longer than the room, and no character cut in half. */
export function cut(text: string, room: number): string {
  if (text.length <= room) return text
  let kept = ''
  for (const character of text) {
    if (kept.length + character.length >= room) break
    kept += character
  }
  return `${kept}…`
}

/** Broken at spaces, and inside of words only where one is longer than the room. */
export function fold(text: string, room: number): string[] {
  return wrap(text, room).flatMap((line) => chop(line, room))
}

/** Broken anywhere, so that nothing is lost. */
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

/** Short things beside each other. */
export function listed(parts: readonly string[], { width }: Sheet): string[] {
  return fold(parts.join(' · '), width - INDENT.length).map((line) => `${INDENT}${line}`)
}

export function sayMore(count: number): string[] {
  return count > 0 ? [`${INDENT}… and ${count} more`] : []
}
