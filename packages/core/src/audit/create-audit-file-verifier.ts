import { PmlError } from '../errors.ts'
import { parseAuditLine, type AuditLine } from './audit-line.ts'
import type { AuditHead } from './audit-row.ts'
import { createSignatureCheck, type SignatureCheck, type SignatureOptions } from './check-signatures.ts'
import { createAuditVerifier, type AuditVerdict, type VerifierOptions } from './create-audit-verifier.ts'
import { createFindings, type Findings } from './findings.ts'

/** Reads an export line by line, including its header and end. */
interface AuditFileVerifier {
  line(text: string): void
  /** Reports an unreadable line. */
  badLine(problem: string): void
  finish(): AuditVerdict
}

export function createAuditFileVerifier(options: VerifierOptions & SignatureOptions = {}): AuditFileVerifier {
  const verifier = createAuditVerifier(options)
  const signatures = createSignatureCheck(options)
  const problems = createFindings()
  let lines = 0
  let rows = 0
  let end: (AuditLine & { kind: 'end' }) | undefined

  function take(line: AuditLine): void {
    if (end) return problems.add(null, `line ${lines} comes after the last line`)
    if ((line.kind === 'header') !== (lines === 1))
      problems.add(null, lines === 1 ? 'the first line is missing' : `line ${lines} is a second header`)
    if (line.kind === 'header' && lines === 1) {
      verifier.begin(line.checkpoint)
      signatures.begin(line.keys, line.checkpoint)
    }
    if (line.kind === 'end') end = line
    if (line.kind !== 'row') return
    rows++
    verifier.row(line.row)
  }

  function badLine(problem: string): void {
    lines++
    problems.add(null, `line ${lines}: ${problem}`)
  }

  function checkEnd({ seq, hash }: AuditHead): void {
    if (!end) problems.add(null, `the last line is missing: the file is cut off after row ${seq}`)
    else if (end.rows !== rows)
      problems.add(null, `the last line says ${end.rows} rows, but there are ${rows}`)
    if (end && (end.head.seq !== seq || end.head.hash !== hash))
      problems.add(end.head.seq, `it is the end according to the last line, but the log ends with row ${seq}`)
    if (end) signatures.end(end.head, end.signature)
  }

  return {
    badLine,
    line: (text) => {
      if (text.trim() === '') return
      try {
        const line = parseAuditLine(text)
        lines++
        take(line)
      } catch (error) {
        if (!(error instanceof PmlError)) throw error
        badLine(error.message)
      }
    },
    finish: () => {
      const verdict = verifier.finish()
      checkEnd(verdict.head)
      return joined(verdict, { problems, signatures })
    },
  }
}

/** The verdict about the rows, with the problems of the file and its signatures. */
function joined(
  verdict: AuditVerdict,
  { problems, signatures }: { problems: Findings; signatures: SignatureCheck },
): AuditVerdict {
  const all = [...problems.sorted(), ...signatures.problems(), ...verdict.problems]
  return {
    ...verdict,
    ok: all.length === 0,
    problems: all,
    problemsLeftOut: verdict.problemsLeftOut + problems.leftOut,
    warnings: [...signatures.warnings(), ...verdict.warnings],
    signedBy: signatures.signedBy,
  }
}
