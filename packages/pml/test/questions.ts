import type { Approval, Pml } from '../src/index.ts'
import type { Catalog } from './catalog.ts'
import { roughServer } from './rough-folder.ts'
import type { TestWorkspace } from './test-workspace.ts'

export const kinds = ['integrity', 'dependency', 'api_key_required', 'tool_permission'] as const
export type Kind = (typeof kinds)[number]

/** A secret in a call, which tests search for where it must not be. */
export const SECRET = 'hunter2-of-the-arguments'
const NODE = process.execPath
let count = 0

/** A call that stopped at a prompt, and the result after a yes. */
export interface Stopped {
  readonly approval: Approval
  readonly tool: string
  readonly name: string
}

/** Makes a workspace prompt for a call with a secret. */
export async function stopAt(
  kind: Kind,
  { catalog, workspace, pml }: { catalog: Catalog; workspace: TestWorkspace; pml: Pml },
): Promise<Stopped> {
  const id = `q${count++}`
  const isCode = kind === 'integrity' || kind === 'tool_permission'
  const [name, tool] = isCode
    ? [`acme.tools.${id}.echo`, `${id}:echo`]
    : [`pml.mcp.${id}.server`, `${id}:echo`]
  await workspace.writeConfig({
    permissions: { allow: kind === 'tool_permission' ? [] : [`${id}:*`], ask: ['*'] },
  })
  const echo = (word: string) =>
    `export default ({ secret }: { secret: string }) => "${word} " + secret.length\n`
  if (isCode) await catalog.code(name, echo('one'))
  else
    await catalog.command(id, [NODE, roughServer, 'good'], {
      envRequired: kind === 'api_key_required' ? ['QUESTION_KEY'] : [],
    })
  if (kind === 'integrity') {
    await pml.fetch(name)
    await catalog.code(name, echo('two'))
  }
  const approval = await pml.call(tool, { secret: SECRET })
  if (!approval.approvalRequired) throw new Error(`${tool} did not ask`)
  return { approval, tool, name }
}
