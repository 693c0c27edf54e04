import type { ConfigProblem } from '@pml/core/local-servers'

/** In one line, as editors and compilers understand it. */
export function printProblem({ file, line, column, path, message }: ConfigProblem): string {
  return [`${file}:${line}:${column}`, ...(path === '' ? [] : [path]), message].join(': ')
}
