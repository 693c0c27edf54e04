import { fileURLToPath } from 'node:url'
import { loadTools, ToolRegistry, type Limit } from '@pml/tools'
import type { Name } from '@pml/core'
import type { Approvals } from './changes/approvals.ts'
import type { Audit } from './audit/start-audit.ts'
import type { SuggestionDeps } from './report/read-suggestions.ts'
import type { CatalogPages } from './catalog/catalog-pages.ts'
import type { ConfigSync } from './catalog/config-sync.ts'
import type { CurrentEntries } from './catalog/current-entries.ts'
import type { ModuleParser } from './catalog/modules/module-parser.ts'
import type { Database } from './db/connect.ts'
import type { Actor } from './keys/actor.ts'
import type { Readiness } from './readiness.ts'

/** The parts of the registry that tools use. */
export interface RegistryParts {
  readonly db: Database
  readonly audit: Audit
  readonly entries: CurrentEntries
  readonly pages: CatalogPages
  readonly modules: ModuleParser
  readonly routeTool: ConfigSync['routeTool']
  readonly forget: (name: Name) => void
  readonly approvals: Approvals
  readonly readiness: () => Promise<Readiness>
  /** The input of pattern suggestions. */
  readonly learning: SuggestionDeps
}

/** The context of a tool call. */
export interface RegistryContext {
  readonly registry: RegistryParts
  readonly actor: Actor
  /** Its signal aborts when no caller waits for the result. */
  readonly limit: Limit
}

const ownTools = fileURLToPath(new URL('tools', import.meta.url))

/** Loads every file of the folder as a tool: see docs/tools.md. */
export async function loadRegistryTools(folder = ownTools): Promise<ToolRegistry<RegistryContext>> {
  const tools = new ToolRegistry<RegistryContext>()
  await loadTools(tools, folder)
  return tools
}
