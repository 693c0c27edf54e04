import { describe, expect, it } from 'vitest'
import { parseApprovalConfig, usualApprovalConfig } from './approval-config.ts'

const file = 'config/approvals.json'
const parse = (value: unknown) => parseApprovalConfig(JSON.stringify(value), file)

describe('config/approvals.json', () => {
  it('gives a path the first type that has a glob for it', () => {
    const config = parse({
      types: {
        test: { paths: ['**/*.{test,spec}.*', '**/tests/**'], specialists: ['testguard'], expirySeconds: 60 },
        security: { paths: ['**/auth/**', '**/*.test.*'], specialists: ['security'], promoteAfter: 9 },
      },
    })
    const names = ['/a/b.test.ts', 'B.TEST.TS', 'x\\tests\\y.py', 'src/auth/key.ts', 'src/main.ts', 'test.ts']
    expect(names.map((path) => config.typeOf(path).name)).toEqual([
      'test',
      'test',
      'test',
      'security',
      'other',
      'other',
    ])
    expect(config.findType('test')).toEqual({
      name: 'test',
      specialists: ['testguard'],
      expirySeconds: 60,
      promoteAfter: 5,
      proof: [],
    })
    expect(config.findType('nothing')).toBeUndefined()
  })

  it('without a file, named specialists decide about .env and everybody decides about the rest', () => {
    expect(usualApprovalConfig.typeOf('.env').specialists).toEqual([
      'security-specialist',
      'critical-engineer',
    ])
    expect(usualApprovalConfig.typeOf('a.ts')).toEqual({
      name: 'other',
      specialists: ['*'],
      expirySeconds: 300,
      promoteAfter: 5,
      proof: [],
    })
    expect(usualApprovalConfig).toMatchObject({ auditRetentionDays: 30, webhooks: [] })
  })

  it.each([
    [{ types: { Test: { paths: ['a'] } } }, 'types.Test'],
    [{ types: { other: { paths: ['a'] } } }, 'types.other'],
    [{ types: { test: { paths: [] } } }, 'types.test.paths'],
    [{ types: { test: { paths: ['a['] } } }, 'types.test.paths[0]'],
    [{ types: { test: { paths: ['{a'] } } }, 'expected each {'],
    [{ types: { test: { paths: ['a'], specialists: [] } } }, 'types.test.specialists'],
    [{ types: { test: { paths: ['a'], expirySeconds: 86_401 } } }, 'types.test.expirySeconds'],
    [{ type: {} }, 'type'],
    [{ auditRetentionDays: 0 }, 'auditRetentionDays'],
    [{ operators: ['a,b'] }, 'operators[0]'],
    [{ webhooks: [{ url: 'ftp://a', secret: '${A}' }] }, 'webhooks[0].url'],
    [{ webhooks: [{ url: 'https://a.example', secret: 'hunter2' }] }, 'webhooks[0].secret'],
  ])('refuses %j and names the place', (value, place) => {
    expect(() => parse(value)).toThrow(place)
    expect(() => parse(value)).not.toThrow('hunter2')
  })
})
