export { IntegrityError, PmlError, type ErrorCode } from '@pml/core/errors'
export type {
  ApiKeyApprovalRequired,
  Approval,
  DependencyApprovalRequired,
  IntegrityApprovalRequired,
  ToolPermissionApprovalRequired,
} from './approvals/approval.ts'
export type { Called } from './calling/call-tool.ts'
export type { Fetched } from './fetching/fetch-entry.ts'
export { openPml, type CallOptions, type FetchOptions, type Pml, type PmlOptions } from './pml.ts'
export type { ContinueWorkflow } from './verbs/continue-workflow.ts'
