export { IntegrityError, PmlError, type ErrorCode } from '@pml/core/errors'
export type {
  Called,
  CallOptions,
  ClientOptions,
  ContinueWorkflow,
  Fetched,
  FetchOptions,
  Opened,
  Pml,
  PmlOptions,
} from './api/pml.ts'
export type {
  ApiKeyApprovalRequired,
  Approval,
  DependencyApprovalRequired,
  IntegrityApprovalRequired,
  ToolPermissionApprovalRequired,
} from './api/approval.ts'
export { openPml } from './pml.ts'
export { openEnforcement, type Enforcement, type EnforcementOptions } from './guard/open-enforcement.ts'
