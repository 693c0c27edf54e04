export type { Adapter } from './adapter.ts'
export { findAdapter } from './find-adapter.ts'
