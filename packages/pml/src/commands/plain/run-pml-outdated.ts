import { findOutdated } from '../find-outdated.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ client }: OwnContext) {
  const found = await findOutdated(await client())
  return { outdated: found.map(({ locked, current }) => ({ locked, current })) }
}
