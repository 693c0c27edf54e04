import { isDeciding } from './deciding-variables.ts'

/** How a server gets the path for its own data: a client passes a folder of the workspace by this variable or option. */
export interface ServerState {
  readonly env?: string | undefined
  /** The path is the next argument, or follows the trailing `=`. */
  readonly argument?: string | undefined
  /** The path is that of this file in the folder; without it, the folder's. */
  readonly file?: string | undefined
}

export const stateKeys = ['env', 'argument', 'file'] as const

const envName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
const argumentName = /^--?[A-Za-z][A-Za-z0-9-]{0,63}=?$/
const fileName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/

/** Returns the problem, or undefined if it is valid. */
export function findStateProblem({ env, argument, file }: ServerState): string | undefined {
  if ((env === undefined) === (argument === undefined)) return 'expected either env or argument'
  if (env !== undefined && (!envName.test(env) || isDeciding(env) || /^(?:HOME|PML_.*)$/i.test(env)))
    return 'expected in env a variable that only says where data is'
  if (argument !== undefined && !argumentName.test(argument))
    return 'expected in argument an option such as --data or --data='
  if (file !== undefined && !fileName.test(file)) return 'expected in file the name of a file'
  return undefined
}
