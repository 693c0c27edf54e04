import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allCases } from './all-cases.ts'
import type { Outcome } from './case.ts'
import { loadTools } from './load-tools.ts'
import { fillArgs, makeStage, observe, wanted } from './stage.ts'
import { startServer } from './start-server.ts'

const tools = new Map(
  (await loadTools()).map((tool) => [`${tool.module}.${tool.name}`, tool.exports.default]),
)
const stage = await makeStage()
let server: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server.close()
  await stage.remove()
})

describe('in Node', () => {
  for (const { title, module, case: one } of allCases) {
    it(`${title}`, async () => {
      const path = join(stage.root, await stage.prepare(one))
      const { origin } = server
      const outcome = await call(tools.get(`${module}.${one.tool}`), fillArgs(one, { dir: path, origin }))
      expect(await observe(one, outcome, { path, shown: path, origin })).toEqual(wanted(one))
    })
  }
})

async function call(tool: unknown, args: unknown): Promise<Outcome> {
  if (typeof tool !== 'function') throw new Error('Cannot call tool: it does not exist')
  try {
    return { result: await tool(args) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { error: { message: error.message, names: [error.name] } }
  }
}
