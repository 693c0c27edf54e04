import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@pml/hooks'
import { isOurHook, type WantedHooks } from '@pml/hooks/agents'
import { listOurs, withHooks, withoutHooks } from './edit-hooks.ts'

const FILE = 'settings.json'
const editing = { file: FILE, isOurs: isOurHook('claude') }
const ours = { type: 'command', command: 'node /x/pml.js hook --agent claude', timeout: 30 }
const grouped: WantedHooks = {
  root: {},
  entries: new Map<string, JsonObject>([
    ['PreToolUse', { matcher: '*', hooks: [ours] }],
    ['SessionStart', { hooks: [ours] }],
  ]),
}
const flat: WantedHooks = {
  root: { version: 1 },
  entries: new Map<string, JsonObject>([
    ['preToolUse', { command: ours.command }],
    ['stop', { command: ours.command }],
  ]),
}

const install = (text: string, wanted = grouped) => withHooks(text, wanted, editing)
const uninstall = (text: string, wanted = grouped) => withoutHooks(text, wanted.root, editing)

/** Settings as people have them; the hooks of others are in them. */
const settings = {
  'a member': '{\n  "model": "opus"\n}\n',
  'a comment behind the last member': '{\n  "model": "opus" // the best\n}\n',
  'a comment of its own at the end': '{\n  "model": "opus"\n  // nothing more\n}\n',
  'a comment behind a comma': '{\n  "a": 1, // one\n  "b": 2 /* two */\n}\n',
  'a trailing comma': '{\n  "a": 1,\n  "b": [1,],\n}\n',
  'a trailing comma and a comment': '{\n  "a": 1, // one\n}\n',
  tabs: '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
  'four spaces': '{\n    "a": {\n        "b": 1\n    }\n}\n',
  'Windows line ends': '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n',
  'no last line end': '{\n  "a": 1\n}',
  'a byte order mark': '\u{feff}{\n  "a": 1\n}\n',
  'one line': '{"a":1,"b":[1,2]}',
  'one line with spaces': '{ "a": 1 }\n',
  'comments around everything': '// mine\n{\n  // first\n  "a": 1\n}\n// end\n',
  'only a comment': '{\n  // nothing yet\n}\n',
  'hooks of others at another event':
    '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "x" }] }]\n  }\n}\n',
  'hooks of others at the same event':
    '{\n  "hooks": {\n    "PreToolUse": [\n      // theirs\n      {\n        "matcher": "Bash",\n        "hooks": [{ "type": "command", "command": "x" }]\n      } // their end\n    ],\n    "preToolUse": [{ "command": "x" }]\n  },\n  "a": 1\n}\n',
  'hooks of others on one line':
    '{"hooks":{"PreToolUse":[{"hooks":[{"command":"x"}]}],"preToolUse":[{"command":"x"}]}}',
  'a list that hugs its value':
    '{\n  "hooks": {\n    "PreToolUse": [{\n      "hooks": [{ "command": "x" }]\n    }]\n  }\n}\n',
  'commas that begin a line': '{\n    "a": 1 // one\n  , "b": 2\n}\n',
  'a commented list': '{\n  "hooks": {\n    "PreToolUse": [\n      // none of mine\n    ]\n  }\n}\n',
}
const layouts = Object.entries(settings)

describe('hooks that are put into settings', () => {
  it.each(layouts)('are there, and all else is as it was: %s', (_, text) => {
    for (const wanted of [grouped, { ...flat, root: {} }]) {
      const changed = install(text, wanted)
      const [before, after] = [parse(text) as Settings, parse(changed) as Settings]
      for (const [event, entry] of wanted.entries) {
        expect(after.hooks?.[event]).toEqual([...(before.hooks?.[event] ?? []), entry])
      }
      for (const event of Object.keys(before.hooks ?? {}).filter((name) => !wanted.entries.has(name))) {
        expect(after.hooks?.[event]).toEqual(before.hooks?.[event])
      }
      expect({ ...after, hooks: undefined }).toEqual({ ...before, hooks: undefined })
      const lines = text.split('\n').map((line) => line.replace(/,?\s*$/, '').trim())
      for (const comment of lines.flatMap((line) => /\/\/.*/.exec(line) ?? []))
        expect(changed).toContain(comment)
    }
  })

  it.each(layouts)('are put there once: %s', (_, text) => {
    const once = install(text)
    expect(install(once)).toBe(once)
  })

  it.each(layouts)('can be taken out again, to the byte: %s', (_, text) => {
    expect(uninstall(install(text))).toBe(text)
    expect(uninstall(install(text, { ...flat, root: {} }), flat)).toBe(text)
  })

  it.each(layouts)('leave comments where they stand: %s', (_, text) => {
    const kept = install(text).split(/\r?\n/)
    const lines = text.split(/\r?\n/).filter((line) => line.includes('//'))
    for (const line of lines) expect(kept.map(withoutComma)).toContain(withoutComma(line))
  })

  it('can be taken out of anything that a program printed', () => {
    const member = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
    const hooks = fc.record({
      hooks: fc.dictionary(
        fc.constantFrom('PreToolUse', 'Stop', 'x'),
        fc.array(fc.record({ matcher: fc.string(), hooks: fc.array(fc.record({ command: fc.string() })) }), {
          minLength: 1,
          maxLength: 2,
        }),
        { minKeys: 1 },
      ),
    })
    const indent = fc.constantFrom('', '  ', '\t')
    fc.assert(
      fc.property(member, fc.option(hooks, { nil: {} }), indent, (others, withHooks, unit) => {
        const value = { a: 1, ...others, hooks: undefined, ...withHooks }
        const text = JSON.stringify(value, null, unit)
        expect(uninstall(install(text))).toBe(text)
      }),
    )
  })

  it('are removed wherever a person has moved them', () => {
    const entry = JSON.stringify({ hooks: [ours] })
    const theirs = '{ "hooks": [{ "command": "x" }] }'
    const texts = [
      `{"hooks": {"Stop": [${entry}, ${theirs}]}}`,
      `{"hooks": {"Stop": [${theirs},\n${entry}, ${theirs}]}}`,
      `{"hooks": {"Stop": [\n  ${theirs} // theirs\n  , ${entry}\n  , ${theirs}]}}`,
      `{"hooks": {"Stop": [/* first */ ${entry}, /* second */ ${theirs},]}}`,
      `{"hooks": {"PreToolUse": [${entry}], "Stop": [${theirs}]}}`,
    ]
    for (const text of texts) {
      const left = uninstall(text) ?? ''
      expect(listOurs(left, editing)).toEqual([])
      const theirCommands = (settings: string) => settings.match(/"command": ?"x"/g)
      expect(theirCommands(left)).toEqual(theirCommands(text))
      expect(left).not.toContain('pml.js')
    }
  })

  it('keep comments on the next member', () => {
    const entry = JSON.stringify({ hooks: [ours] })
    const theirs = '{ "hooks": [{ "command": "x" }] }'
    const text = (first: string) =>
      `{\n  "hooks": {\n    "Stop": [\n      ${first}// about theirs\n      ${theirs}\n    ]\n  }\n}\n`
    expect(uninstall(text(`${entry}, // ours\n      `))).toBe(text(''))
  })

  it('create a new file, which is removed with them', () => {
    const text = install('', flat)
    expect(text).toMatch(/^\{\n {2}"version": 1,\n {2}"hooks": \{\n[^]*\n\}\n$/)
    expect(install(' \n', flat)).toBe(text)
    expect(uninstall(text, flat)).toBeUndefined()
  })

  it('take the place of those that another version wrote', () => {
    const old = [
      { command: 'npx pml hook --agent claude' },
      { type: 'command', command: 'node', args: ['/old/pml.js', 'hook', '--agent', 'claude'] },
      {
        type: 'http',
        url: 'https://registry.example.com/hooks/claude',
        headers: { Authorization: 'Bearer $PML_API_KEY' },
      },
    ]
    const theirs = [
      { command: 'pml hook --agent codex' },
      { command: 'mypml hook --agents claude' },
      { command: 'pml hook --agent claude2' },
      { type: 'http', url: 'https://other.example.com/hooks/claude' },
    ]
    const text = JSON.stringify(
      {
        hooks: {
          PreToolUse: [
            { matcher: 'Bash', hooks: [{ command: 'x' }, old[0]] },
            { matcher: 'Write', hooks: [old[1]] },
            { hooks: [old[2], old[0]] },
          ],
          Stop: [{ hooks: [old[0]] }],
          Other: [{ hooks: theirs }],
        },
      },
      null,
      2,
    )
    expect(parse(install(text))).toEqual({
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ command: 'x' }] },
          { matcher: '*', hooks: [ours] },
        ],
        Other: [{ hooks: theirs }],
        SessionStart: [{ hooks: [ours] }],
      },
    })
    expect(listOurs(text, editing).map(({ event }) => event)).toEqual([
      'PreToolUse',
      'PreToolUse',
      'PreToolUse',
      'PreToolUse',
      'Stop',
    ])
  })

  it('are the only ones that are removed', () => {
    const entry = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record({ hooks: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }) }),
    )
    const lists = fc.dictionary(
      fc.constantFrom('PreToolUse', 'Stop'),
      fc.array(entry, { minLength: 1, maxLength: 3 }),
    )
    fc.assert(
      fc.property(lists, (hooks) => {
        const text = JSON.stringify({ hooks, a: 1 }, null, 2)
        expect(uninstall(text)).toBe(text)
        expect(uninstall(install(text))).toBe(
          Object.keys(hooks).length === 0 ? JSON.stringify({ a: 1 }, null, 2) : text,
        )
      }),
    )
  })

  it('are not searched for in a file with one name', () => {
    for (const text of ['', '{}', '{ "hooks": {} }', '{"hooks": {"PreToolUse": [null, 7, "x", []]}}']) {
      expect(uninstall(text)).toBe(text)
      expect(listOurs(text, editing)).toEqual([])
    }
  })
})

describe('settings that cannot be changed', () => {
  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', '3:3: expected valid JSON: comma expected'],
    ['{"a": [1}', '1:9: expected valid JSON: '],
    ['{"a": 1', '1:8: expected valid JSON: close brace expected'],
    ['[]', '1:1: expected an object'],
    ['"hooks"', '1:1: expected an object'],
    [`{"a": ${'['.repeat(100_000)}`, '1:1: expected fewer levels'],
    ['{} {}', '1:4: expected valid JSON: end of file expected'],
    ['{\r\n  "hooks": []\r\n}', '2:12: expected "hooks" to be an object'],
    ['{"hooks": {"PreToolUse": {}}}', '1:26: expected "hooks.PreToolUse" to be a list'],
    ['{"hooks": {},\n "hooks": {}}', '2:2: expected "hooks" once, got it a second time'],
  ])('are named with line and column: %s', (text, problem) => {
    const message = `Cannot read ${FILE}: ${FILE}:${problem}`
    expect(() => install(text)).toThrow(message)
    expect(() => uninstall(text)).toThrow(message)
  })
})

interface Settings {
  readonly hooks?: Record<string, unknown[]>
}

/** A comma may come before a comment when something follows. */
function withoutComma(line: string): string {
  return line.replace(/,(\s*)(\/[/*].*)?$/, '$1$2').trimEnd()
}
