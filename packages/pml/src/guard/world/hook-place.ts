import type { RegistryLink } from './registry-link.ts'

/** The environment of a hook. */
export interface HookPlace {
  readonly home: string
  /** The variables of the agent that started it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where an administrator keeps settings for everyone. */
  readonly managed: string
  /** The working directory, then the folders named by the environment. */
  readonly folders: readonly string[]
  readonly defaults: string
  /** The folders of this pml. */
  readonly installation: readonly string[]
  /** Folders with the user's decisions; with `/*` at the end only their `.json` files. */
  readonly kept: readonly string[]
  /** The Node executable. */
  readonly execPath: string
  /** The user's cache folder, also for saved content and waiting events. */
  readonly cache: string
  /** The folder of pml's state for this user. */
  readonly state: string
  /** The folder of the user's configuration for all projects. */
  readonly config: string
  readonly link: RegistryLink | undefined
  /** Of the process. */
  readonly pid: number
  now(): number
}
