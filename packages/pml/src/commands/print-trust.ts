import { showInvisible } from '@pml/core/show-invisible'

/** What `pml trust` found. */
export interface Trust {
  readonly workspace: string
  readonly isTrusted: boolean
  readonly why: string
  readonly gives: readonly string[]
  readonly unagreed: readonly string[]
}

export function printTrust({ workspace, isTrusted, why, ...parts }: Trust): string {
  const title = `${workspace}: ${isTrusted ? 'trusted' : 'not trusted'}: ${why}`
  return `${showInvisible([title, ...printParts(parts)].join('\n'))}\n`
}

/** What the file gives, a line each; what nobody has agreed to is marked. */
export function printParts({ gives, unagreed }: Pick<Trust, 'gives' | 'unagreed'>): string[] {
  const [isGiven, isNew] = [new Set(gives), new Set(unagreed)]
  const lost = unagreed.filter((part) => !isGiven.has(part))
  return [
    ...gives.map((part) => `${isNew.has(part) ? '  + ' : '    '}${part}`),
    ...lost.map((part) => `  - ${part}`),
  ]
}
