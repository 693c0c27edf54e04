import type { Flag, FlagList, Severity } from '@pml/core/schemas'
import { definePrint } from '../command.ts'
import {
  fold,
  harmless,
  INDENT,
  printSections,
  sheetFor,
  type Colour,
  type Section,
  type Sheet,
} from '../report-sheet.ts'

const colours: Record<Severity, Colour | undefined> = { serious: 'red', warning: 'yellow', info: undefined }
const WIDEST_SEVERITY = 'serious'.length
const MOST_EVIDENCE = 2

export default definePrint<FlagList>((answer, layout) => {
  const { since, until, flags } = harmless(answer)
  if (flags.length > 0) return printSections([printFlagList(flags, sheetFor(layout))])
  return `Nothing to look at, ${since.slice(0, 10)} to ${until.slice(0, 10)}\n`
})

/** Prints every flag: none may hide behind others. */
export function printFlagList(flags: readonly Flag[], sheet: Sheet): Section {
  const lines = flags.flatMap((flag) => printFlag(flag, sheet))
  return [sheet.title('To look at'), ...(lines.length === 0 ? [`${INDENT}nothing`] : lines)]
}

function printFlag(flag: Flag, sheet: Sheet): string[] {
  const margin = ' '.repeat(INDENT.length * 2 + WIDEST_SEVERITY)
  const text = [flag.flag.replaceAll('_', ' '), ...textOf(flag, sheet.width - margin.length)]
  const colour = colours[flag.severity]
  const severity = flag.severity.padEnd(WIDEST_SEVERITY)
  const mark = `${INDENT}${colour ? sheet.paint(severity, colour) : severity}${INDENT}`
  return text.map((line, index) => `${index === 0 ? mark : margin}${line}`)
}

function textOf(flag: Flag, room: number): string[] {
  return [...fold(flag.sentence, room), ...fold(evidenceOf(flag), room)]
}

/** The newest evidence, with ids for looking it up. */
function evidenceOf({ evidence, count }: Flag): string {
  const ids = evidence.slice(0, MOST_EVIDENCE).map(idOf)
  const left = Math.max(count, evidence.length) - ids.length
  return `See ${ids.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}

function idOf({ changeId, eventId, patternId }: Flag['evidence'][number]): string | undefined {
  return changeId ?? (eventId === undefined ? patternId : `event ${eventId}`)
}
