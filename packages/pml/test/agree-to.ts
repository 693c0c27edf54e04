import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { parseWorkspaceConfig, PmlError, trustPartsOf, type TrustParts } from '@pml/core'
import { openWorkspaceTrust } from '../src/workspace/workspace-trust.ts'

/** Consents to the current `.pml.json`, as `pml trust` does. An unreadable one allows nothing. */
export async function agreeTo(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const root = await realpath(folder)
  const file = join(root, '.pml.json')
  const parts = findParts(await readFile(file, 'utf8'), file)
  const { platform } = process
  if (parts)
    await openWorkspaceTrust(
      { root },
      { env, platform, isGivenByOperator: false, isClaimedBy: undefined },
    ).change(() => parts)
}

function findParts(text: string, file: string): TrustParts | undefined {
  try {
    return trustPartsOf(parseWorkspaceConfig(text, file))
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return undefined
  }
}
