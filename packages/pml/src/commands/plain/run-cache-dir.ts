import type { OwnContext } from '../own-tools.ts'

export async function run({ ops }: OwnContext) {
  return { path: ops.cacheHome }
}
