export {
  parseAuditHead,
  parseAuditLine,
  printAuditEnd,
  printAuditHeader,
  printAuditRow,
  type AuditCheckpoint,
  type AuditFileHeader,
} from './audit-line.ts'
export { genesis, hashOfRow, type AuditHead, type AuditRow } from './audit-row.ts'
export type { AuditProblem } from './findings.ts'
export { createAuditFileVerifier } from './create-audit-file-verifier.ts'
export { createAuditVerifier, type AuditVerdict } from './create-audit-verifier.ts'
export { createSignatureCheck, type SignatureOptions } from './check-signatures.ts'
export {
  checkpointText,
  createLogSigner,
  followLogKey,
  headText,
  isLogOrigin,
  isSignedBy,
  parseLogKey,
  successionText,
  type LogKeyStep,
  type LogSigner,
} from './log-key.ts'
