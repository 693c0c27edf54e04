export interface PackageChange {
  /** The install path: `node_modules/a/node_modules/b`. */
  readonly location: string
  readonly before?: string
  readonly after?: string
}
