export { canonicalContent, contentHashOf, markersIn } from './canonical-content.ts'
export { isCommentIn, markerStylesOf } from './comment-styles.ts'
export { instructionFor, printMarker } from './instruction-for.ts'
export type { Marker, MarkerStyle } from './marker.ts'
export { LONGEST_PATTERN, patternFor } from './pattern-for.ts'
export { shapeOf } from './shape-of.ts'
export {
  findSpecialist,
  isToken,
  printToken,
  specialistName,
  specialistSlug,
  tokenPattern,
  type TokenParts,
} from './tokens.ts'
