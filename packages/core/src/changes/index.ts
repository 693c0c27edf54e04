export type { Change, CodeChange, FieldChange, PackageChanges, Release } from './change.ts'
export { describeChange } from './describe-change.ts'
export { printChange } from './print-change.ts'
export { showInvisible } from './show-invisible.ts'
