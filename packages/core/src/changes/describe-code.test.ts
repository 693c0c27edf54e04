import { describe, expect, it } from 'vitest'
import { describeChange, type Release } from './index.ts'

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')

describe('a change of code', () => {
  it('is shown as changed lines with three lines of context', () => {
    const after = ten.replace('line 5\n', 'line five\nand more\n')
    expect(describeChange(code(ten), code(after))).toEqual({
      code: {
        unified: `@@ -2,7 +2,8 @@
 line 2
 line 3
 line 4
-line 5
+line five
+and more
 line 6
 line 7
 line 8
`,
        added: 2,
        removed: 1,
        isCut: false,
        dangers: [],
      },
      fields: [],
      warnings: [],
    })
  })

  it('has separate parts for distant changes and one part for close ones', () => {
    const long = ten + ten + ten
    const lines = (text: string) => unifiedOf(long, text).match(/^@@.*$/gm)
    expect(lines(`first\n${long}last\n`)).toEqual(['@@ -1,3 +1,4 @@', '@@ -28,3 +29,4 @@'])
    expect(unifiedOf(ten, ten.replace('line 2\n', '').replace('line 9\n', ''))).toContain('@@ -1,10 +1,8 @@')
  })

  it('from and to an empty text has the ranges that other programs expect', () => {
    expect(unifiedOf('', 'a\n')).toBe('@@ -0,0 +1,1 @@\n+a\n')
    expect(unifiedOf('a\n', '')).toBe('@@ -1,1 +0,0 @@\n-a\n')
  })

  it('shows line endings, and says if nothing else differs', () => {
    const change = describeChange(code('a\nb\n'), code('a\r\nb\n'))
    expect(change.code?.unified).toBe('@@ -1,2 +1,2 @@\n-a\n+a\\u{d}\n b\n')
    expect(change.warnings).toEqual(['only line endings differ'])
    expect(describeChange(code('a\nb\n'), code('a\r\nc\n')).warnings).toEqual([])
  })

  it('shows a missing line end at the end of the file', () => {
    expect(unifiedOf('a\n', 'a')).toBe('@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n')
  })

  it('that only consists of invisible characters is visible', () => {
    const change = describeChange(code('if (isAdmin) {}\n'), code('if (isAdmin\u{3164}\u{202e}) {}\n'))
    expect(change.code?.unified).toBe(
      '@@ -1,1 +1,1 @@\n-if (isAdmin) {}\n+if (isAdmin\\u{3164}\\u{202e}) {}\n',
    )
    expect(change.warnings).toEqual(['the new code contains 2 invisible or direction-changing characters'])
  })

  it('of a byte order mark is visible', () => {
    expect(unifiedOf('a\n', '\u{feff}a\n')).toBe('@@ -1,1 +1,1 @@\n-a\n+\\u{feff}a\n')
  })

  it('in a long line is shown from where it begins', () => {
    const { code: shown, warnings } = describeChange(
      code(`${'x'.repeat(1000)}a${'y'.repeat(600)}`),
      code(`${'x'.repeat(1000)}b${'y'.repeat(600)}`),
    )
    const [, removed, , added] = shown?.unified.split('\n') ?? []
    const [before, behind] = [
      '… (960 characters before) ' + 'x'.repeat(40),
      `${'y'.repeat(359)} … (241 more characters)`,
    ]
    expect([removed, added]).toEqual([`-${before}a${behind}`, `+${before}b${behind}`])
    expect(shown?.isCut).toBe(true)
    expect(warnings).toEqual(['the difference is too long to be shown whole'])
  })

  it('that is too long is cut, with the number of missing lines', () => {
    const { code: shown, warnings } = describeChange(code(''), code('x\n'.repeat(5000)))
    expect(shown).toMatchObject({ added: 5000, removed: 0, isCut: true })
    expect(shown?.unified.split('\n').slice(-3)).toEqual(['+x', '… and 4001 more lines', ''])
    expect(warnings).toEqual(['the difference is too long to be shown whole'])
  })

  it('that is too large for a diff is one replacement between the common start and end', () => {
    const lines = (word: string) =>
      Array.from({ length: 4000 }, (_, at) => (at % 2 ? 'same' : `${word} ${at}`))
    const text = (word: string) => `first\n${lines(word).join('\n')}\nlast\n`
    const { code: shown } = describeChange(code(text('old')), code(text('new')))
    expect(shown).toMatchObject({ added: 3999, removed: 3999 })
    expect(shown?.unified.slice(0, 41)).toBe('@@ -1,4002 +1,4002 @@\n first\n-old 0\n-same')
  })

  it('of binary content is shown byte by byte', () => {
    const change = describeChange(code(Uint8Array.of(0xff, 0x41)), code(Uint8Array.of(0xfe, 0x81)))
    expect(change.code?.unified).toContain('-ÿA\n')
    expect(change.code?.unified).toContain('+þ\\u{81}\n')
    expect(change.warnings).toEqual(['it is not valid UTF-8: each byte is shown as one character'])
  })

  it('of the encoding alone is a change', () => {
    expect(unifiedOf('é', Uint8Array.of(0xe9))).toContain('-Ã©\n')
  })

  it('is empty if nothing changed, for any code', () => {
    expect(describeChange(code('\u{202e}'), code('\u{202e}'))).toEqual({ fields: [], warnings: [] })
  })
})

function unifiedOf(before: string | Uint8Array, after: string | Uint8Array): string {
  return describeChange(code(before), code(after)).code?.unified ?? ''
}

function code(text: string | Uint8Array): Release {
  return { type: 'deno', routing: 'client', bytes: Buffer.from(text) }
}
