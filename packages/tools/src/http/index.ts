export { findForeign } from './find-foreign.ts'
export { toolPaths } from './tool-paths.ts'
