/** The name that pml is published under. The scope is ours; anyone could register a plain `pml`. */
export const PACKAGE_NAME = '@pml-registry/pml'

/** Where a project has it installed. */
export const PACKAGE_FOLDER: readonly string[] = ['node_modules', ...PACKAGE_NAME.split('/')]

/** As in package.json; a test compares them. */
export const VERSION = '0.1.0'
