import type { ApprovalReport } from '@pml/core/schemas'
import {
  alignLeft,
  alignRight,
  cut,
  INDENT,
  printDuration,
  sayMore,
  widest,
  type Section,
  type Sheet,
} from './report-sheet.ts'

type Specialist = ApprovalReport['specialists'][number]

const APPROVED = '█'
const REJECTED = '░'
const WIDEST_NAME = 20
const MOST = 12

/** The number of changes that each specialist decided, as bars on one scale. */
export function printBars(specialists: readonly Specialist[], sheet: Sheet): Section {
  if (specialists.length === 0) return []
  const shown = specialists.slice(0, MOST)
  const names = alignLeft(shown.map(({ specialist }) => cut(specialist, WIDEST_NAME)))
  const notes = notesOf(shown)
  const room = sheet.width - INDENT.length * 3 - widest(names) - widest(notes)
  const most = Math.max(...shown.map(({ approved, rejected }) => approved + rejected))
  const bars = shown.map((specialist) => barOf(specialist, { most, room, sheet }))
  const title = `Decisions: ${sheet.paint(APPROVED, 'green')} approved, ${sheet.paint(REJECTED, 'red')} rejected, median time`
  return [
    sheet.title(title),
    ...bars.map((bar, row) => `${INDENT}${names[row]}${INDENT}${bar}${INDENT}${notes[row]}`),
    ...sayMore(specialists.length - MOST),
  ]
}

function notesOf(specialists: readonly Specialist[]): string[] {
  const approved = alignRight(specialists.map(({ approved }) => String(approved)))
  const rejected = alignRight(specialists.map(({ rejected }) => String(rejected)))
  return specialists.map(
    ({ medianSeconds }, row) => `${approved[row]} / ${rejected[row]}${INDENT}${timeOf(medianSeconds)}`,
  )
}

/** Imported decisions have no duration. */
function timeOf(seconds: number | null): string {
  return seconds === null ? '-' : printDuration(seconds)
}

interface Scale {
  readonly most: number
  readonly room: number
  readonly sheet: Sheet
}

function barOf({ approved, rejected }: Specialist, { most, room, sheet }: Scale): string {
  const full = cellsFor(approved, { most, room })
  const light = cellsFor(rejected, { most, room })
  const bar = sheet.paint(APPROVED.repeat(full), 'green') + sheet.paint(REJECTED.repeat(light), 'red')
  return bar + ' '.repeat(room - full - light)
}

/** Any count above 0 takes at least one cell, so two parts may take one cell more than their sum. */
function cellsFor(count: number, { most, room }: Pick<Scale, 'most' | 'room'>): number {
  return count === 0 ? 0 : Math.max(1, Math.floor((count / most) * (room - 1)))
}
