import type { AdmittingToolbox, ToolRegistry } from '@pml/tools'
import type { McpEndpoint } from '@pml/tools/mcp'
import type { Seats } from '../changes/seats.ts'
import type { DocsPage } from '../docs/docs-page.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { CallerDeps } from '../http/caller.ts'
import type { ObserveDeps } from '../http/observe-requests.ts'
import type { Bodies } from '../wire/read-body.ts'
import type { Metrics } from '../metrics.ts'
import type { Proxy } from '../proxy/create-proxy.ts'
import type { RegistryContext, RegistryParts } from '../registry-tools.ts'
import type { ToolCaller } from '../registry-toolbox.ts'

/** The dependencies of the routes. */
export interface AppDeps extends RegistryParts, CallerDeps, ObserveDeps {
  readonly tools: ToolRegistry<RegistryContext>
  readonly toolbox: AdmittingToolbox<ToolCaller>
  readonly mcp: McpEndpoint<ToolCaller>
  readonly proxy: Proxy
  readonly hooks: Hooks
  readonly metrics: Metrics
  readonly docs: DocsPage
  readonly bodies: Bodies
  readonly publicUrl: string | undefined
  /** Limits of concurrent long responses. */
  readonly seats: { readonly exports: Seats; readonly mcp: Seats }
}
