import { readFileSync } from 'node:fs'
import { plainPath } from '@pml/core/path-glob'
import { compileNative, decideWrites, findingsOf, parsePolicy, type World, type Write } from '@pml/hooks'
import type { CommittedChange } from './read-commits.ts'

const ROOT = '/project'
const FILE = 'config/enforcement.json'
const all = parsePolicy(readFileSync(new URL(`../../../${FILE}`, import.meta.url), 'utf8'), FILE, {
  compile: compileNative,
  examples: 'skip',
  installation: [],
})
/** The built-in rules about tests only. */
const policy = { ...all, rules: all.rules.filter(({ id }) => id.startsWith('TEST_')) }

const world: World = {
  home: '/home/someone',
  readFile: () => ({ kind: 'missing' }),
  realPath: (path) => path,
  otherNames: () => [],
  expand: () => [],
}

export function isTest(path: string): boolean {
  const plain = { whole: plainPath(`${ROOT}/${path}`), relative: plainPath(path) }
  return policy.rules.some((rule) => rule.isInScope(plain))
}

/** The rules that would block the change if an agent made it. */
export function rulesAgainst(change: CommittedChange): readonly string[] {
  const decision = decideWrites(
    {
      agent: 'claude',
      cwd: ROOT,
      moment: 'before-tool',
      session: undefined,
      changedFile: undefined,
      mayAsk: false,
      call: { kind: 'other', tool: 'commit', input: {} },
    },
    [writeOf(change)],
    { guarded: [{ root: ROOT, policy }], world },
  )
  if (decision.verdict === 'pass') return []
  const findings = decision.verdict === 'approval' ? findingsOf(decision.wanted) : decision.findings
  return findings.map(({ rule }) => rule)
}

/** A moved and changed file is judged at its new path, against its old content. */
function writeOf({ path, from, before, after }: CommittedChange): Write {
  return {
    paths: [`${ROOT}/${isTest(path) ? path : from}`],
    written: path,
    before,
    after: isTest(path) ? afterOf(after) : { kind: 'deleted' },
    isExact: true,
  }
}

function afterOf(content: CommittedChange['after']): Write['after'] {
  if (content.kind === 'text') return content
  if (content.kind === 'missing') return { kind: 'deleted' }
  return { kind: 'unknown', why: 'what it holds is no text' }
}
