import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { agreeHere } from '../verbs/agree-here.ts'

export default defineOwn({
  name: 'pml_trust',
  description: `Agree to what .pml.json of this workspace allows; until then nothing runs here.

The file came with the repository, so its allow rules, its grants and its cloud.url count only after you have seen them. What you agreed to is
kept outside of the repository; a change of the file asks again and marks what is new. In CI, PML_TRUST_WORKSPACE=1 stands for it.

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
  cli: { word: 'trust' },
  effect: 'write',
  input: z.object({
    status: z
      .boolean()
      .default(false)
      .describe('Say what was agreed to and what was not, and leave it at that'),
    yes: z.boolean().default(false).describe('Do not ask'),
  }),
  output: z.object({
    workspace: z.string(),
    isTrusted: z.boolean(),
    why: z.string(),
    gives: z.array(z.string()),
    unagreed: z.array(z.string()),
  }),
  run: async (context, { status, yes }) => {
    const { files, config, trust } = await context.lockfile()
    if (!status) await agreeHere(context, { config, trust, isSure: yes })
    const { parts, unagreed, isGivenByOperator, isChanged } = await config.readTrust()
    const isAgreed = unagreed.length === 0
    const [reason] = [
      ...(parts.gives.length === 0 ? ['.pml.json gives nothing that needs your agreement'] : []),
      ...(isAgreed ? [`you agreed to it (${trust.file})`] : []),
      ...(isGivenByOperator ? ['PML_TRUST_WORKSPACE=1 is set, so nobody is asked'] : []),
      ...(trust.isClaimedBy === undefined
        ? []
        : [
            `PML_TRUST_WORKSPACE=1 does not count: ${trust.isClaimedBy} was started without it; look at .pml.json and agree with "pml trust"`,
          ]),
      isChanged
        ? '.pml.json has changed since you agreed to it; review and agree with "pml trust"'
        : 'you have not agreed to it; review and agree with "pml trust"',
    ]
    return {
      workspace: files.root,
      isTrusted: isAgreed || isGivenByOperator,
      why: reason ?? '',
      gives: [...parts.gives],
      unagreed: [...unagreed],
    }
  },
})
