export { type AllowedSources, findForeign } from './find-foreign.ts'
export { type PathsAround, toolPaths } from './tool-paths.ts'
