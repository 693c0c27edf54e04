import { approvalReport } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { readReport } from '../report/read-report.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { days } from '../tool-parameters.ts'

export default defineTool({
  name: 'audit_report',
  effect: 'read',
  scope: 'approve',
  input: z.object({ days }),
  output: approvalReport,
  run: ({ registry: { learning }, actor }: RegistryContext, request) => readReport(learning, actor, request),
})
