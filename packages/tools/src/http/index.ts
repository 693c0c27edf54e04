export { type AllowedSources, findForeign } from './find-foreign.ts'
