export interface PackageChange {
  /** Where it is installed: `node_modules/a/node_modules/b`. */
  readonly location: string
  readonly before?: string
  readonly after?: string
}
