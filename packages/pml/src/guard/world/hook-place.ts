import type { RegistryLink } from './registry-link.ts'

/** What a hook knows of the place that it runs in. */
export interface HookPlace {
  readonly home: string
  /** The variables of the agent that started it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where an administrator keeps settings for everyone. */
  readonly managed: string
  /** The one that the process was started in, then those that the environment speaks of. */
  readonly folders: readonly string[]
  readonly defaults: string
  /** Where this pml is. */
  readonly installation: readonly string[]
  /** What it takes for its user's word: folders, and with `/*` at the end the `.json` files of one. */
  readonly kept: readonly string[]
  /** The Node that runs it. */
  readonly execPath: string
  /** Where this user's caches are; what is kept is there: contents that were not written, events that wait. */
  readonly cache: string
  /** Where pml keeps what it notes for this user. */
  readonly state: string
  /** Where this user writes what holds for all projects. */
  readonly config: string
  readonly link: RegistryLink | undefined
  /** Of the process. */
  readonly pid: number
  now(): number
}
