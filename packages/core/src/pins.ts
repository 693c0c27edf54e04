export { diffPins, type PinDiff } from './diff-pins.ts'
export {
  lockBytes,
  parsePin,
  printPin,
  samePin,
  sortTools,
  toolsDigest,
  type Pin,
  type ToolDefinition,
} from './pin.ts'
export { pinJsonSchema } from './schemas/pin.ts'
