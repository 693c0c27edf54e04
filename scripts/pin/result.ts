import type { PinDiff } from '../../packages/core/src/diff-pins.ts'

export type PinResult =
  | { readonly server: string; readonly outcome: 'unchanged'; readonly version: string }
  | { readonly server: string; readonly outcome: 'changed'; readonly diff: PinDiff }
  | { readonly server: string; readonly outcome: 'failed'; readonly reason: string }
