import { describe, expect, it } from 'vitest'
import { judge, type Check, type Exception } from './judge.ts'

const revision = '2026-07-28'
const check = (id: string, status: Check['status']): Check => ({ id, status })
const wire = check('wire-schema-valid', 'SUCCESS')
const prompts: Exception = { reason: 'There are no prompts', scenarios: ['prompts-list'] }
const outcomeOf = (scenario: string, checks: Check[], exceptions: Exception[] = []) =>
  judge([{ revision, scenario, checks }], exceptions).map(({ outcome }) => outcome)

describe('a scenario', () => {
  it('passes if something was tested and nothing was wrong', () => {
    expect(outcomeOf('tools-list', [check('a', 'SUCCESS'), check('b', 'SKIPPED'), wire])).toEqual(['pass'])
  })

  it.each(['FAILURE', 'WARNING'] as const)('fails by one %s', (status) => {
    expect(outcomeOf('tools-list', [check('a', 'SUCCESS'), check('b', status)])).toEqual(['fail'])
  })

  it('fails if only the shape of messages was tested', () => {
    expect(outcomeOf('tools-list', [wire, check('b', 'SKIPPED')])).toEqual(['fail'])
  })
})

describe('a listed scenario', () => {
  it('does not apply if it fails', () => {
    expect(
      judge([{ revision, scenario: 'prompts-list', checks: [check('a', 'FAILURE')] }], [prompts]),
    ).toEqual([
      { revision, scenario: 'prompts-list', outcome: 'not applicable', why: 'There are no prompts' },
    ])
  })

  it('does not apply if the suite skips it', () => {
    expect(outcomeOf('prompts-list', [check('a', 'SKIPPED')], [prompts])).toEqual(['not applicable'])
  })

  it('fails if it passes', () => {
    expect(outcomeOf('prompts-list', [check('a', 'SUCCESS')], [prompts])).toEqual(['fail'])
  })

  it('fails if its messages are malformed', () => {
    const malformed = check('wire-schema-valid', 'FAILURE')
    expect(outcomeOf('prompts-list', [check('a', 'FAILURE'), malformed], [prompts])).toEqual(['fail'])
  })

  it('does not apply if it passes without testing anything, and fails once it tests something', () => {
    const hollow = { ...prompts, passesAnyway: true }
    expect(outcomeOf('prompts-list', [check('a', 'SUCCESS')], [hollow])).toEqual(['not applicable'])
    expect(outcomeOf('prompts-list', [check('a', 'FAILURE')], [hollow])).toEqual(['fail'])
  })

  it('fails if the suite does not know it', () => {
    const verdicts = judge([{ revision, scenario: 'tools-list', checks: [check('a', 'SUCCESS')] }], [prompts])
    expect(verdicts.map(({ scenario, outcome }) => [scenario, outcome])).toEqual([
      ['tools-list', 'pass'],
      ['prompts-list', 'fail'],
    ])
  })
})

describe('a scenario with some listed checks', () => {
  const some: Exception = { reason: 'There are no prompts', scenarios: ['caching'], checks: ['b'] }

  it('passes if all other checks pass', () => {
    const checks = [check('a', 'SUCCESS'), check('b', 'FAILURE')]
    expect(judge([{ revision, scenario: 'caching', checks }], [some])).toEqual([
      { revision, scenario: 'caching', outcome: 'pass', why: 'but for 1 checks: There are no prompts' },
    ])
  })

  it('fails by any other check', () => {
    const checks = [check('a', 'FAILURE'), check('b', 'FAILURE')]
    expect(outcomeOf('caching', checks, [some])).toEqual(['fail'])
  })

  it('fails if a listed check passes', () => {
    expect(outcomeOf('caching', [check('a', 'SUCCESS'), check('b', 'SUCCESS')], [some])).toEqual(['fail'])
  })
})
