export type { Adapter } from './adapter.ts'
