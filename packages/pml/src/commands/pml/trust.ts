import { showInvisible } from '@pml/core/show-invisible'
import type { WorkspaceTrust } from '../../workspace/workspace-trust.ts'
import type { TrustState } from '../../workspace/workspace-config-file.ts'
import { agreeHere, printParts } from '../agree-here.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Agree to what .pml.json of this workspace allows; until then nothing runs here.

The file came with the repository, so its allow rules, its grants and its cloud.url count only after you have seen them. What you agreed to is
kept outside of the repository; a change of the file asks again and marks what is new. In CI, set PML_TRUST_WORKSPACE=1 instead.

## Examples

\`\`\`json
{}
\`\`\`

\`\`\`json
{ "status": true }
\`\`\`

\`\`\`json
{ "yes": true }
\`\`\`
`,
  effect: 'write',
  input: ({ z }) =>
    z.object({
      status: z.boolean().default(false).describe('Only show what was agreed to and what was not'),
      yes: z.boolean().default(false).describe('Do not ask'),
    }),
  output: ({ z }) =>
    z.object({
      workspace: z.string(),
      isTrusted: z.boolean(),
      why: z.string(),
      gives: z.array(z.string()),
      unagreed: z.array(z.string()),
    }),
  run: async (context, { status, yes }) => {
    const { files, config, trust } = await context.lockfile()
    if (!status) await agreeHere(context, { config, trust, isSure: yes })
    const state = await config.readTrust()
    return {
      workspace: files.root,
      isTrusted: state.unagreed.length === 0 || state.isGivenByOperator,
      why: explain(state, trust),
      gives: [...state.parts.gives],
      unagreed: [...state.unagreed],
    }
  },
  print: ({ workspace, isTrusted, why, ...parts }) => {
    const title = `${workspace}: ${isTrusted ? 'trusted' : 'not trusted'}: ${why}`
    return `${showInvisible([title, ...printParts(parts)].join('\n'))}\n`
  },
})

function explain(
  { parts, unagreed, isGivenByOperator, isChanged }: TrustState,
  { file, isClaimedBy }: WorkspaceTrust,
): string {
  if (parts.gives.length === 0) return '.pml.json gives nothing that needs your agreement'
  if (unagreed.length === 0) return `you agreed to it (${file})`
  if (isGivenByOperator) return 'PML_TRUST_WORKSPACE=1 is set, so nobody is asked'
  if (isClaimedBy !== undefined)
    return `PML_TRUST_WORKSPACE=1 does not count: ${isClaimedBy} was started without it; look at .pml.json and agree with "pml trust"`
  return isChanged
    ? '.pml.json has changed since you agreed to it; look at it and agree with "pml trust"'
    : 'you have not agreed to it; look at it and agree with "pml trust"'
}
