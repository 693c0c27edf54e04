export type { Adapter } from '../events/adapter.ts'
export { findAdapter } from './find-adapter.ts'
