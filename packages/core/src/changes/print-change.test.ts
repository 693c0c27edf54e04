import { describe, expect, it } from 'vitest'
import { describeChange, printChange, type Change, type Release } from './index.ts'

const quiet: Change = { fields: [], warnings: [] }

describe('printing a change', () => {
  it('starts with the warnings, then fields, packages and code', () => {
    const change: Change = {
      warnings: ['the same version has other bytes: node_modules/left 1.2.3'],
      fields: [
        { path: 'description', before: 'Reads', after: 'Reads\u{200b} "all"' },
        { path: 'tools', after: 'files:send' },
        { path: 'tools', before: 'files:list' },
      ],
      packages: {
        added: [{ location: 'node_modules/come', after: '4.0.0' }],
        removed: [{ location: 'node_modules/gone', before: '3.0.0' }],
        bumped: [{ location: 'node_modules/up', before: '1.0.0', after: '1.1.0' }],
        rehashed: [{ location: 'node_modules/left', before: '1.2.3', after: '1.2.3' }],
        installScripts: ['node_modules/come'],
      },
      code: { unified: '@@ -1,1 +1,1 @@\n-a\n+b\n', added: 1, removed: 1, isCut: false, dangers: [] },
    }
    expect(printChange(change)).toBe(`changes: imports, process, obfuscation

Look at this:
  ! the same version has other bytes: node_modules/left 1.2.3

Fields:
  ~ description: "Reads" -> "Reads\\u{200b} \\"all\\""
  + tools: "files:send"
  - tools: "files:list"

Packages:
  ! node_modules/left 1.2.3 has other bytes under the same version
  ~ node_modules/up 1.0.0 -> 1.1.0
  + node_modules/come 4.0.0
  - node_modules/gone 3.0.0
  has an install script: node_modules/come

Code: 1 line added, 1 removed
@@ -1,1 +1,1 @@
-a
+b
`)
  })

  it('says if nothing changed', () => {
    expect(printChange(quiet)).toBe('Nothing changed\n')
  })

  it('shows long values from the first difference, with their length', () => {
    const [before, after] = [`${'x'.repeat(1000)}a`, `${'x'.repeat(1000)}b`]
    const shown = `… (843 characters before) ${'x'.repeat(158)}`
    expect(printChange({ ...quiet, fields: [{ path: 'description', before, after }] })).toBe(
      `changes: obfuscation\n\nFields:\n  ~ description: ${shown}a" -> ${shown}b"\n`,
    )
    expect(printChange({ ...quiet, fields: [{ path: 'description', after }] })).toBe(
      `changes: obfuscation\n\nFields:\n  + description: "${'x'.repeat(159)} … (843 more characters)\n`,
    )
  })

  it('never cuts a character in half', () => {
    const text = printChange({ ...quiet, fields: [{ path: 'a', after: '😀'.repeat(500) }] })
    expect(text).not.toContain('\\u{')
  })

  it('counts what was left out, also after earlier cuts', () => {
    const lines = printChange(describeChange(code(''), code('x\n'.repeat(5000)))).split('\n')
    const shown = lines.filter((line) => line === '+x').length
    expect(shown).toBeGreaterThan(100)
    expect(lines.at(-2)).toBe(`… and ${5000 - shown} more lines`)
  })

  it('stays below 400 lines and 40 kB, and a long part does not hide the others', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `${index} ${'\u{e0041}'.repeat(200)}`)
    const packages = many(500).map((location) => ({ location, after: '1.0.0' }))
    const change: Change = {
      warnings: many(500),
      fields: many(500).map((path) => ({ path, before: path, after: 1 })),
      packages: { added: packages, removed: [], bumped: [], rehashed: packages, installScripts: many(500) },
      code: { unified: many(500).join('\n'), added: 500, removed: 0, isCut: false, dangers: [] },
    }
    const text = printChange(change)
    expect(Buffer.byteLength(text)).toBeLessThan(40_000)
    expect(text.match(/^… and \d+ more lines$/gm)).toHaveLength(4)
    const short: Change = {
      ...change,
      warnings: Array<string>(500).fill('x'),
      fields: Array.from({ length: 500 }, () => ({ path: 'x', after: 1 })),
      code: { unified: '+x\n'.repeat(500), added: 500, removed: 0, isCut: false, dangers: [] },
    }
    expect(printChange(short).split('\n').length).toBeLessThan(400)
    expect(printChange(short)).toContain('Code: 500 lines added')
  })

  it('keeps each item on its own line', () => {
    const text = printChange({ warnings: ['a\n  ! b\r\n'], fields: [{ path: 'c\nd', after: 'e\nf' }] })
    expect(text).toBe('Look at this:\n  ! a\\n  ! b\\u{d}\\n\n\nFields:\n  + c\\nd: "e\\nf"\n')
  })
})

function code(text: string): Release {
  return { type: 'deno', routing: 'client', bytes: Buffer.from(text) }
}
