/** The name that pml is published under. The scope is ours; anyone could register a plain `pml`. */
const PACKAGE_NAME = '@pml-registry/pml'

/** Its folder in a project. */
export const PACKAGE_FOLDER: readonly string[] = ['node_modules', ...PACKAGE_NAME.split('/')]

/** The version in package.json; a test compares them. */
export const VERSION = '0.1.0'
