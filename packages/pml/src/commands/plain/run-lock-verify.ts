import { verifyLock } from '../verbs/verify-lock.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ client }: OwnContext) {
  const { unknown, ...counts } = await verifyLock(await client())
  return { ...counts, unknown: [...unknown] }
}
