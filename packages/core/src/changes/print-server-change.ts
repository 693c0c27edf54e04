import { normalListing, type ServerListing } from './server-listing.ts'
import { dangersOfFinding, dangersOfText, joinDangers, printDangers, type Danger } from './dangers.ts'
import { cutLines, printInline } from './cut.ts'
import { describeCode } from './describe-code.ts'
import { pairTools } from './pair-tools.ts'
import { linesOfCode, oneLine } from './print-change.ts'
import type { ServerChange, ServerFinding } from './server-change.ts'

/** In total 400 lines and 40 kB. Each part has its own share, so none can hide another. */
const shares = {
  grave: { lines: 110, bytes: 13_000 },
  others: { lines: 50, bytes: 6000 },
  texts: { lines: 200, bytes: 20_000 },
}
const MOST_TEXTS = 20
const chunks = /.{1,160}/gsu

interface Text {
  readonly title: string
  readonly before: string
  readonly after: string
}

interface Listings {
  readonly before: ServerListing | undefined
  readonly after: ServerListing
}

/** Prints plain text for a terminal or an agent: the findings, then instructions and descriptions by line. */
export function printServerChange({ findings }: ServerChange, listings: Listings): string {
  const isGrave = ({ severity }: ServerFinding) => severity !== 'info'
  const texts = textsOf(listings)
  const left = texts.length - MOST_TEXTS
  const parts = [
    printDangers(dangersOf(findings, texts)),
    section('Look at this:', cutLines(findings.filter(isGrave), { ...shares.grave, print: printFinding })),
    section(
      'Also:',
      cutLines(
        findings.filter((one) => !isGrave(one)),
        { ...shares.others, print: printFinding },
      ),
    ),
    ...texts.slice(0, MOST_TEXTS).map((text, _, all) => printText(text, all.length)),
    left > 0 ? [`… and ${left} more texts that are new or changed`] : [],
  ].filter((lines) => lines.length > 0)
  return parts.length === 0 ? 'Nothing changed\n' : `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines]
}

/** Text for an agent is not code: only addresses and hidden characters count as dangers. */
function dangersOf(findings: readonly ServerFinding[], texts: readonly Text[]): Danger[] {
  const inTexts = texts.flatMap(({ before, after }) => dangersOfText(before, after))
  const isOfText = (kind: Danger) => kind === 'network' || kind === 'obfuscation'
  return joinDangers(inTexts.filter(isOfText), ...findings.map(dangersOfFinding))
}

const signs = { danger: '!!', warning: ' !', info: '  ' }

function printFinding({ kind, severity, message }: ServerFinding): string {
  return `${signs[severity]} ${kind}: ${oneLine(message)}`
}

/** The texts that an agent reads as sentences: instructions and descriptions. */
function textsOf({ before, after }: Listings): Text[] {
  const [old, now] = [before && normalListing(before), normalListing(after)]
  const { kept, renamed, added } = pairTools(old?.tools ?? [], now.tools)
  const texts = [
    {
      title: 'Instructions of the server:',
      before: textOf(old?.instructions),
      after: textOf(now.instructions),
    },
    ...[...kept, ...renamed].map((pair) => ({
      title: `Description of ${printInline(pair.after.name)}:`,
      before: textOf(pair.before.description),
      after: textOf(pair.after.description),
    })),
    ...added.map(({ name, description }) => ({
      title: `Description of ${printInline(name)}, which is new:`,
      before: '',
      after: textOf(description),
    })),
  ]
  return texts.filter((text) => text.before !== text.after)
}

/** Text from servers is untrusted. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function printText({ title, before, after }: Text, count: number): string[] {
  const [lines, bytes] = [shares.texts.lines / count, shares.texts.bytes / count]
  const code = describeCode(wrap(before), wrap(after))
  const shown = linesOfCode(code).filter((line) => line !== '' && !/^(?:@@|\\)/.test(line))
  return [title, ...cutLines(shown, { lines: Math.min(60, lines), bytes, print: (line) => line })]
}

/** Splits by sentence, so that a change inside a long line is shown alone. */
function wrap(text: string): string {
  const lines = text.split('\n').flatMap((line) => line.split(/(?<=[.!?;] )/))
  return lines.flatMap((line) => line.match(chunks) ?? ['']).join('\n')
}
