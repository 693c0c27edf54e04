import type { JsonValue } from '@pml/core'

/** What is known of a module's text without running it. Offsets count UTF-16 units. */
export interface ModuleFacts {
  readonly errors: readonly { readonly message: string; readonly offset: number }[]
  /** Everything that makes a runtime load another module; `specifier` is null when it is computed. */
  readonly imports: readonly { readonly specifier: string | null; readonly offset: number }[]
  /** Exported constants whose value is a plain JSON literal. */
  readonly literals: Readonly<Record<string, JsonValue>>
}
