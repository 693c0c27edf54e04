import type { PinDiff } from '@pml/core/pins'

export type PinResult =
  | { readonly server: string; readonly outcome: 'unchanged'; readonly version: string }
  | { readonly server: string; readonly outcome: 'changed'; readonly diff: PinDiff }
  | { readonly server: string; readonly outcome: 'failed'; readonly reason: string }
