export { diffPins, type PinDiff } from './diff-pins.ts'
export type { PackageChange } from './package-change.ts'
export { addTools, makePin, parseLockedTree } from './make-pin.ts'
export {
  lockBytes,
  parsePin,
  printPin,
  samePin,
  toolsBytes,
  toolsDigest,
  type Pin,
  type ToolDefinition,
} from './pin.ts'
