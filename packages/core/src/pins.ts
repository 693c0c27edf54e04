export { diffPins, type PackageChange, type PinDiff } from './diff-pins.ts'
export { addTools, makePin, parseLockedTree } from './make-pin.ts'
export { lockBytes, parsePin, printPin, samePin, toolsDigest, type Pin, type ToolDefinition } from './pin.ts'
export { pinJsonSchema } from './schemas/pin.ts'
