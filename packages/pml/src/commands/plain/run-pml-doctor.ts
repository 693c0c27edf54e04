import { examine } from '../verbs/examine.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ client }: OwnContext) {
  const parts = await client()
  const findings = await examine(parts, parts.http)
  return { isHealthy: findings.every(({ isOk }) => isOk), findings }
}
