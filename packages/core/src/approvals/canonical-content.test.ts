import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalContent, contentHashOf, markersIn } from './canonical-content.ts'
import { printMarker } from './instruction-for.ts'

const token = 'TEST-GUARD-20261117-0a1b2c3d-00112233445566778899'
const marker = `TEST-GUARD-APPROVED: ${token}`

/** What stands on the right is the canonical form of everything on the left. */
const golden: Record<string, { from: readonly string[]; to: string }> = {
  'line ends': { from: ['a\nb\n', 'a\r\nb\r\n', 'a\r\r\nb\r', 'a\r\nb', 'a\nb'], to: 'a\nb\n' },
  'line ends at the end': { from: ['a', 'a\n', 'a\r\n\r\n', 'a\n\n\n'], to: 'a\n' },
  'white space in the last line': { from: ['a\n  \n', 'a\n  '], to: 'a\n  \n' },
  'empty lines at the start': { from: ['\n\na'], to: '\n\na\n' },
  'a CR that ends no line': { from: ['# a\rb\n', '# a\rb\r\n'], to: '# a\rb\n' },
  'CR and LF the other way round': { from: ['a\n\rb'], to: 'a\n\rb\n' },
  'empty text': { from: ['', '\n', '\r\n\r\n', '\u{feff}', `// ${marker}`, `\n# ${marker}\n\n`], to: '\n' },
  'only markers': { from: [`// ${marker}\n# ${marker}\n-- ${marker}`], to: '\n' },
  'a byte order mark': { from: ['\u{feff}a', '\u{feff}\u{feff}a', `// ${marker}\n\u{feff}a`], to: 'a\n' },
  'a byte order mark further down': { from: ['a\n\u{feff}b'], to: 'a\n\u{feff}b\n' },
  JavaScript: {
    from: [
      'const a = 1\nexport { a }\n',
      `// ${marker}\nconst a = 1\nexport { a }\n`,
      `\u{feff}//${marker}\r\nconst a = 1\r\nexport { a }\r\n`,
      `const a = 1\n\t  //   ${marker}  \t\nexport { a }\n`,
      `const a = 1\nexport { a }\n/*${marker}*/`,
      `/* ${marker} */\nconst a = 1\n// SECOND_1-APPROVED:${token}\nexport { a }\n\n// ${marker}\n`,
    ],
    to: 'const a = 1\nexport { a }\n',
  },
  Python: {
    from: ['def f():\n    return 1\n', `def f():\n    # ${marker}\n    return 1`],
    to: 'def f():\n    return 1\n',
  },
  'a script': {
    from: ['#!/bin/sh\nset -e\n', `#!/bin/sh\n# ${marker}\nset -e\n`],
    to: '#!/bin/sh\nset -e\n',
  },
  SQL: { from: ['SELECT 1;\n', `-- ${marker}\nSELECT 1;`, `--${marker}\r\nSELECT 1;`], to: 'SELECT 1;\n' },
  CSS: {
    from: ['a {\n  color: red;\n}\n', `/* ${marker} */\na {\n  color: red;\n}`],
    to: 'a {\n  color: red;\n}\n',
  },
  Markdown: {
    from: [
      '# Title\n\n- one\n',
      `# Title\n<!-- ${marker} -->\n\n- one\n`,
      `<!--${marker}-->\n# Title\n\n- one`,
    ],
    to: '# Title\n\n- one\n',
  },
  YAML: {
    from: ['on:\n  push:\n', `# ${marker}\non:\n  push:\n`, `on:\n  # ${marker}\n  push:`],
    to: 'on:\n  push:\n',
  },
  'a marker within a string of many lines': {
    from: [`const s = \`\n// ${marker}\n\``],
    to: 'const s = `\n`\n',
  },
}

const staying: Record<string, string> = {
  'within a string': `const s = "// ${marker}"\n`,
  'within a string that ends with it': `const s = \`\nx // ${marker}\`\n`,
  'behind code': `run() // ${marker}\n`,
  'in front of code': `/* ${marker} */ run()\n`,
  'as code': `${marker}\n`,
  'with words around it': `// see ${marker}\n// ${marker} again\n`,
  'in a comment that is not closed': `/* ${marker}\n<!-- ${marker}\n`,
  'in a comment closed the other way': `/* ${marker} -->\n<!-- ${marker} */\n`,
  'with a small name': `// Guard-APPROVED: ${token}\n`,
  'without a name': `// -APPROVED: ${token}\n// APPROVED: ${token}\n`,
  'with a name that starts with a digit': `// 1GUARD-APPROVED: ${token}\n`,
  'without a token': '// GUARD-APPROVED:\n// GUARD-APPROVED: yes\n',
  'with a token of another shape': '// GUARD-APPROVED: GUARD-20261117-0a1b2c3d\n',
  'with code for a token':
    '# GUARD-APPROVED: $(curl x)\n// GUARD-APPROVED: GUARD-20261117-0a1b2c3d-eval(x)\n',
  'with a letter of another script': `// TEST-GU\u{410}RD-APPROVED: ${token}\n`,
  'with a token in another script': `// GUARD-APPROVED: ${token.replace('A', '\u{410}')}\n`,
  'with a line end that only some languages know': `// ${marker}\u{2028}run()\n// ${marker}\u{b}run()\n`,
  'where a line goes on': `echo \\\n# ${marker}\nrm -rf .\n// a \\ \t\n// ${marker}\nrun()\n`,
  'behind a space that is none': `\u{a0}// ${marker}\n`,
}

describe('canonical content', () => {
  it.each(Object.entries(golden))('is one for %s', (_name, { from, to }) => {
    for (const text of from) expect(canonicalContent(text)).toBe(to)
  })

  it.each(Object.entries(staying))('keeps what looks like a marker %s', (_name, text) => {
    expect(canonicalContent(text)).toBe(text)
    expect(markersIn(text)).toEqual([])
  })

  it('has a hash of its UTF-8 form', () => {
    expect(contentHashOf('h\u{e9}llo\r\n')).toBe(
      'sha256-b95becd154aa095f76c4ca47a5aeb8350d6dfcb838404edfc9dae06628de938d',
    )
    expect(contentHashOf('')).toBe(contentHashOf('\n'))
    expect(contentHashOf('a b')).not.toBe(contentHashOf('a  b'))
  })

  it('is the same when a marker line of any style is put anywhere', () => {
    const line = fc.string().filter((text) => !/\\[ \t]*$/.test(text))
    const lines = fc.array(fc.oneof(fc.constantFrom('', ' ', '}', '"', '/*', '`'), line), { maxLength: 8 })
    const style = fc.constantFrom('//', '#', '--', '/*', '<!--')
    const ends = fc.constantFrom('\n', '\r\n')
    fc.assert(
      fc.property(
        lines,
        style,
        ends,
        fc.nat(),
        fc.stringMatching(/^[ \t]{0,9}$/),
        (before, style, end, at, pad) => {
          const after = before.toSpliced(
            at % (before.length + 1),
            0,
            pad + printMarker(style, 'Test Guard', token),
          )
          expect(contentHashOf(after.join(end))).toBe(contentHashOf(before.join('\n')))
        },
      ),
    )
  })

  it('is its own canonical form', () => {
    const pieces = fc.constantFrom(
      '\r',
      '\n',
      '\u{feff}',
      ' ',
      '{',
      '}',
      ',',
      '"a":1',
      `"_approval_token":"${token}"`,
      '// ',
      '# ',
      '/* ',
      ' */',
      marker,
      '"',
      '\\',
      'x',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (written) => {
        const once = canonicalContent(written.join(''))
        expect(canonicalContent(once)).toBe(once)
        expect(markersIn(once)).toEqual([])
        expect(once).toMatch(/^(?:[^]*[^\r\n])?\n$/)
        expect(once).not.toContain('\r\n')
      }),
      { numRuns: 2000 },
    )
  })

  it('takes hostile text as it takes any other', () => {
    const size = 1 << 20
    const long = (text: string) => text.repeat(Math.ceil(size / text.length)).slice(0, size)
    for (const text of ['/* ', '<!-- A-APPROVED: ', 'A-', ' ', '\\', '"', '[', '{"_approval_token":'])
      expect(canonicalContent(`// A-APPROVED: ${long(text)}x`)).toContain(long(text))
    for (const text of ['\r', '\n', '\u{feff}']) expect(canonicalContent(long(text))).toBe('\n')
    expect(canonicalContent(`${long('\n')}x`)).toHaveLength(size + 2)
    expect(canonicalContent(long(`// ${marker}\n`)).length).toBeLessThan(100)
    const wide = `{"a":1,${long(' ')}"_approval_token":"${token}"${long(' ')}}`
    expect(canonicalContent(wide)).toBe(`{"a":1${long(' ')}}\n`)
    const deep = `${'{"a":'.repeat(size / 8)}1${'}'.repeat(size / 8)}`
    expect(canonicalContent(`{"_approval_token":"${token}","b":${deep}}`)).toBe(`{"b":${deep}}\n`)
    expect(canonicalContent(`{${long(`"_approval_token":"${token}",`).replace(/,?[^,]*$/, '')}}`)).toBe(
      '{}\n',
    )
  })
})

describe('markers', () => {
  it('are found with the line they stand on', () => {
    const text = `#!/bin/sh\r\n# A_1-APPROVED: ${token}\r\n\r\n  <!-- B-APPROVED: ${token} -->\nx`
    expect(markersIn(text)).toEqual([
      { name: 'A_1', token, line: 2, style: '#' },
      { name: 'B', token, line: 4, style: '<!--' },
    ])
  })

  it('of a JSON document have the name that is in the token', () => {
    const text = `\n// A-APPROVED: ${token}\n{\n  "a": 1,\n  "_approval_token": "${token}"\n}\n// B-APPROVED: ${token}`
    expect(markersIn(text)).toEqual([
      { name: 'A', token, line: 2, style: '//' },
      { name: 'TEST-GUARD', token, line: 5, style: 'member' },
      { name: 'B', token, line: 7, style: '//' },
    ])
  })
})
