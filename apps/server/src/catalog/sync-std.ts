import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import {
  integrityOf,
  parseName,
  routingFor,
  toolNameOf,
  type Name,
  type Routing,
  type RoutingRules,
} from '@pml/core'
import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { mcpName, mcpRelease } from '../db/schema.ts'
import { system } from '../keys/actor.ts'
import type { ModuleParser } from './modules/module-parser.ts'
import { moduleDraft } from './publish.ts'
import type { ReleaseDraft } from './release.ts'
import { retireMissing } from './retire-missing.ts'
import { storeRelease } from './store-release.ts'

interface Deps {
  readonly db: Database
  readonly modules: ModuleParser
  readonly routes: RoutingRules
}

interface MiniTool {
  readonly name: Name
  readonly bytes: Uint8Array
}

/** Stores the files of packages/std as MiniTools; parses only changed files. */
export async function syncStd({ db, modules, routes }: Deps, folder: string): Promise<{ changed: number }> {
  const tools = await readMiniTools(folder)
  const stored = await db.orm
    .select({ name: mcpName.name, integrity: mcpRelease.integrity, routing: mcpRelease.routing })
    .from(mcpName)
    .innerJoin(mcpRelease, and(eq(mcpRelease.name, mcpName.name), eq(mcpRelease.integrity, mcpName.current)))
    .where(and(eq(mcpName.source, 'std'), isNull(mcpName.retiredAt)))
  const known = new Map(stored.map(({ name, integrity, routing }) => [name, `${integrity} ${routing}`]))
  const drafts: { name: Name; draft: ReleaseDraft }[] = []
  for (const { name, bytes } of tools) {
    const routing: Routing = routingFor(routes, toolNameOf(name))
    if (known.get(name) === `${integrityOf(bytes)} ${routing}`) continue
    drafts.push({
      name,
      draft: await moduleDraft(modules, {
        name,
        bytes,
        description: undefined,
        routing: undefined,
        otherwise: routing,
      }),
    })
  }
  return db.orm.transaction(async (tx) => {
    for (const { name, draft } of drafts) {
      await storeRelease(tx, system, { place: { name, source: 'std', visibility: 'public' }, draft })
    }
    return {
      changed:
        drafts.length +
        (await retireMissing(
          tx,
          'std',
          tools.map(({ name }) => name),
        )),
    }
  })
}

/** Reads `<module>/<tool>.ts` as `pml.std.<module>.<tool>`. */
async function readMiniTools(folder: string): Promise<MiniTool[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts')).toSorted()
  return Promise.all(
    files.map(async (file) => ({
      name: parseName(`pml.std.${file.slice(0, -'.ts'.length).replaceAll(sep, '.')}`),
      bytes: await readFile(join(folder, file)),
    })),
  )
}
