import { plainPath } from '@pml/core/path-glob'
import { describe, expect, it } from 'vitest'
import type { PmlError } from '@pml/core/errors'
import { compileNative, parsePolicy, type Policy } from '../index.ts'
import { explainProblems } from './explain-problems.ts'

const FILE = '.pml/enforcement.json'
const rule = { id: 'NO_X', effect: 'block', reason: 'no', suggestion: 'do not' }
const guard = { ...rule, id: 'GUARD_X' }

function read(value: unknown, base?: Policy): Policy {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return parsePolicy(text, FILE, {
    compile: compileNative,
    examples: 'read',
    installation: ['/opt/pml', '/named/*'],
    ...(base && { base }),
  })
}

function problemOf(work: () => unknown): PmlError {
  try {
    work()
  } catch (error) {
    return error as PmlError
  }
  throw new Error('it was taken')
}

const base = read({ version: 1, rules: [rule, guard] })

describe('a policy', () => {
  it('blocks and denies by default', () => {
    const { onUnreachable, mcp, rules } = read({ version: 1, rules: [rule] })
    expect({ onUnreachable, mcp }).toEqual({ onUnreachable: 'deny', mcp: { unlocked: 'block', trusted: [] } })
    expect(rules[0]).toMatchObject({ unknown: 'block', tools: ['*'], agents: ['*'], match: undefined })
  })

  it('extends its base: rules with the same id replace, others are added', () => {
    const over = read(
      {
        version: 1,
        rules: [
          { ...rule, reason: 'mine' },
          { ...rule, id: 'NEW' },
        ],
      },
      base,
    )
    expect(over.rules.map(({ id, reason }) => [id, reason])).toEqual([
      ['NO_X', 'mine'],
      ['GUARD_X', 'no'],
      ['NEW', 'no'],
    ])
  })

  it('disables rules of its base by name', () => {
    expect(read({ version: 1, disabled: ['NO_X'] }, base).rules.map(({ id }) => id)).toEqual(['GUARD_X'])
  })

  it.each([
    ['switch off', { version: 1, disabled: ['GUARD_X'] }],
    ['replace', { version: 1, rules: [guard] }],
  ])('cannot %s rules that protect the guard', (_how, text) => {
    expect(() => read(text, base)).toThrow(FILE)
  })

  it('refuses to disable an unknown rule, which is likely a typo', () => {
    expect(() => read({ version: 1, disabled: ['NO_Y'] }, base)).toThrow(
      'disabled.0: expected the id of a built-in rule',
    )
  })

  it.each([
    ['nothing', '', 'expected JSON'],
    ['half of it', '{"version": 1,', 'expected JSON'],
    ['a list', '[]', 'expected an object, got a list'],
    ['rules twice', '{"version": 1, "rules": [], "rules": []}', 'expected each key once, got "rules" twice'],
    ['a key twice in a rule', '{"version": 1, "rules": [{"id": "A", "id": "B"}]}', 'got "id" twice'],
    [
      'an id of the lockfile',
      JSON.stringify({ version: 1, rules: [{ ...rule, id: 'MCP_X' }] }),
      'MCP_ is for',
    ],
    ['one id twice', JSON.stringify({ version: 1, rules: [rule, rule] }), 'expected each id once'],
    [
      'a typo',
      JSON.stringify({ version: 1, rules: [{ ...rule, pathes: [] }] }),
      'rules.0.pathes: expected one of id',
    ],
    [
      'a glob with classes',
      JSON.stringify({ version: 1, rules: [{ ...rule, paths: ['[a]'] }] }),
      'rules.0.paths.0',
    ],
    [
      'lookahead',
      JSON.stringify({ version: 1, rules: [{ ...rule, match: { content: ['a(?=b)'] } }] }),
      'no lookahead',
    ],
    [
      'a back-reference',
      JSON.stringify({ version: 1, rules: [{ ...rule, match: { content: ['(a)\\1'] } }] }),
      'no lookahead',
    ],
    [
      'no expression',
      JSON.stringify({ version: 1, rules: [{ ...rule, match: { content: ['('] } }] }),
      'expected a regular expression',
    ],
    [
      'an unknown operation',
      JSON.stringify({ version: 1, rules: [{ ...rule, match: { operations: ['x'] } }] }),
      'name of an operation',
    ],
  ])('with an error is refused, with its place: %s', (_what, text, message) => {
    const error = problemOf(() => read(text))
    expect(error.code).toBe('invalid_config')
    expect(error.message).toContain(`Cannot read ${FILE}`)
    expect(error.message).toContain(message)
  })

  it('reports every problem, with line and column for a person', () => {
    const text = '{\n  "version": 1,\n  "onUnreachable": "x",\n  "rules": [{"id": "a"}]\n}\n'
    const explained = explainProblems(
      problemOf(() => read(text)),
      { text, file: FILE },
    )
    expect(explained.message).toContain(`${FILE}:3:20: onUnreachable: expected deny, allow, got "x"`)
    expect(explained.message).toContain(`${FILE}:4:20: rules[0].id: expected an id`)
  })

  it('may have a byte order mark and comment keys', () => {
    expect(
      read(`\u{feff}${JSON.stringify({ _why: 'x', version: 1, rules: [{ _why: 1, ...rule }] })}`).rules,
    ).toHaveLength(1)
  })
})

describe('the scope of a rule', () => {
  const scope = (paths: string[], except?: string[]) => {
    const [found] = read({ version: 1, rules: [{ ...rule, paths, ...(except && { except }) }] }).rules
    return (whole: string, relative?: string) =>
      found?.isInScope({
        whole: plainPath(whole),
        relative: relative === undefined ? undefined : plainPath(relative),
      })
  }

  it('is relative to the root of the workspace or of the file system, or anywhere', () => {
    expect(scope(['src/**'])('/w/src/a.js', 'src/a.js')).toBe(true)
    expect(scope(['src/**'])('/src/a.js')).toBe(false)
    expect(scope(['/app/**'])('/app/a.js')).toBe(true)
    expect(scope(['/app/**'])('/w/app/a.js', 'app/a.js')).toBe(false)
    expect(scope(['**/app/**'])('/x/app/a.js')).toBe(true)
  })

  it('knows the folders of pml, and exceptions', () => {
    expect(scope(['${pml}/**'])('/opt/pml/bin/pml.js')).toBe(true)
    expect(scope(['${pml}/**'])('/opt/pml')).toBe(true)
    expect(scope(['${pml}/**'])('/opt/pml-other/bin/pml.js')).toBe(false)
    const paths = ['/named', '/Named/a.json', '/named/a.ts', '/named/deeper/a.json', '/named.json']
    expect(paths.map((path) => scope(['${pml}/**'])(path))).toEqual([true, true, false, false, false])
    expect(scope(['src/**'], ['**/*.md'])('/w/src/a.md', 'src/a.md')).toBe(false)
  })
})

describe('duplicate keys', () => {
  it.each([
    ['{"version": 1, "mcp": {"unlocked": "allow", "unlocked": "block"}}', 'unlocked'],
    ['{"version": 1, "rules": [], "rul\\u0065s": []}', 'rules'],
    ['{"version" : 1, "mcp" : {"a" : 1, "a" : 1}}', 'a'],
    ['{"version": 1, "_x": ": y", "_x": ": z"}', '_x'],
    ['{"version": 1, "_x": "\\\\", "_x": "\\":"}', '_x'],
  ])('are found in %s', (text, key) => {
    expect(() => read(text)).toThrow(`expected each key once, got "${key}" twice`)
  })

  it.each([
    ['{"version": 1, "_x": ": y"}'],
    ['{"version": 1, "_x": "\\":", "_y": {"_x": ":"}}'],
    ['{ "version" : 1 }'],
  ])('are not found in %s', (text) => {
    expect(read(text).rules).toEqual([])
  })
})
