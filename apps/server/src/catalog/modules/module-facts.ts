import type { JsonValue } from '@pml/core'

/** The results of static analysis of a module. Offsets count UTF-16 units. */
export interface ModuleFacts {
  readonly errors: readonly { readonly message: string; readonly offset: number }[]
  /** Everything that loads another module; `specifier` is null if it is computed. */
  readonly imports: readonly { readonly specifier: string | null; readonly offset: number }[]
  /** Exported constants whose value is a plain JSON literal. */
  readonly literals: Readonly<Record<string, JsonValue>>
}
