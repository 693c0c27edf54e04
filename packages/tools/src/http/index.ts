export { type PathsAround, toolPaths } from './tool-paths.ts'
