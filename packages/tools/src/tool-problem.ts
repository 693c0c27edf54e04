export type ProblemKind =
  | 'SchemaValidation'
  | 'MissingCliCategory'
  | 'InvalidCliName'
  | 'InvalidDescription'
  | 'NameConflict'
  | 'LoadFailure'

/** Why a tool cannot be offered. */
export interface ToolProblem {
  readonly kind: ProblemKind
  readonly tool: string
  /** The part of the definition, such as `input.limit`. */
  readonly place: string
  readonly message: string
  readonly suggestion: string
}

/** Collects the problems of one tool. */
export type Report = (kind: ProblemKind, place: string, message: string, suggestion: string) => void

/** Thrown when tools are registered; errors of callers are PmlErrors. */
export class ToolProblemError extends Error {
  override readonly name = 'ToolProblemError'
  readonly problem: ToolProblem

  constructor(problem: ToolProblem) {
    super(printProblem(problem))
    this.problem = problem
  }
}

function printProblem({ kind, tool, place, message, suggestion }: ToolProblem): string {
  return `${kind}: tool '${tool}', ${place}: ${message}; ${suggestion}`
}

/** The checked definition and its problems. */
export interface ToolReport {
  readonly valid: readonly string[]
  readonly problems: readonly ToolProblem[]
  summary(): string
}

export function reportOf(valid: readonly string[], problems: readonly ToolProblem[]): ToolReport {
  const invalid = new Set(problems.map(({ tool }) => tool))
  return {
    valid,
    problems,
    summary: () =>
      [
        `${count(valid.length, 'valid tool')}, ${count(invalid.size, 'tool')} left out`,
        ...problems.map((problem) => `  ${printProblem(problem)}`),
      ].join('\n'),
  }
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
