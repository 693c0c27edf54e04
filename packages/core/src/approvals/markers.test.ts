import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentHashOf } from './content-hash.ts'
import { printMarker } from './instruction-for.ts'
import { findMarkers } from './markers.ts'

const token = 'TEST-GUARD-20261117-0a1b2c3d-00112233445566778899'
const other = 'TEST-GUARD-20261118-0a1b2c3d-99887766554433221100'
const mark = `TEST-GUARD-APPROVED: ${token}`
const member = `"_approval_token": "${token}"`

const originals = (path: string, content: string) =>
  findMarkers(path, content).flatMap(({ originals }) => originals)

describe('a marker', () => {
  it.each<[string, string, string, string]>([
    ['as the first line', 'a.ts', `// ${mark}\nconst a = 1\n`, 'const a = 1\n'],
    ['with a line end of its own', 'a.ts', `// ${mark}\r\nconst a = 1\n`, 'const a = 1\n'],
    ['in a file of CRLF', 'a.ts', `// ${mark}\r\nconst a = 1\r\n`, 'const a = 1\r\n'],
    ['as the last line', 'a.ts', `const a = 1\n// ${mark}\n`, 'const a = 1\n'],
    ['as the last line of CRLF', 'a.ts', `const a = 1\r\n// ${mark}\r\n`, 'const a = 1\r\n'],
    ['behind a script line', 'a.sh', `#!/bin/sh\n# ${mark}\nset -e\n`, '#!/bin/sh\nset -e\n'],
    ['alone', 'a.py', `# ${mark}\n`, ''],
    ['in a block comment', 'a.css', `/* ${mark} */\na {}\n`, 'a {}\n'],
    ['at the end of a page', 'a.md', `# Title\n<!-- ${mark} -->\n`, '# Title\n'],
    ['in SQL', 'a.sql', `-- ${mark}\nSELECT 1;`, 'SELECT 1;'],
    ['behind a here-document', 'a.sh', `cat <<EOF\nx\nEOF\n# ${mark}\n`, 'cat <<EOF\nx\nEOF\n'],
    ['behind an element', 'a.html', `<p>a</p>\n<!-- ${mark} -->\n`, '<p>a</p>\n'],
    ['behind a comment', 'a.css', `a {} /* b */\n/* ${mark} */\n`, 'a {} /* b */\n'],
    [
      'beside an older one',
      'a.ts',
      `// ${mark}\na()\n// OLD-APPROVED: ${other}\n`,
      `a()\n// OLD-APPROVED: ${other}\n`,
    ],
    [
      'under the name of the specialist in other letters',
      'a.ts',
      `// TEST_GUARD-APPROVED: ${token}\na()`,
      'a()',
    ],
  ])('%s stands for the content without it', (_, path, content, original) => {
    expect(findMarkers(path, content)).toEqual([{ token, originals: [original] }])
  })

  it('at the end of a file may have added the line end before it', () => {
    expect(originals('a.ts', `a()\n// ${mark}`)).toEqual(['a()\n', 'a()'])
    expect(originals('a.ts', `a()\r\n// ${mark}`)).toEqual(['a()\r\n', 'a()'])
  })

  it.each<[string, string, string]>([
    ['in the middle', 'a.ts', `a()\n// ${mark}\nb()\n`],
    ['behind code', 'a.ts', `run() // ${mark}`],
    ['with blanks in front', 'a.ts', `a()\n  // ${mark}\n`],
    ['with words around it', 'a.ts', `a()\n// see ${mark}\n`],
    ['that is no comment there', 'a.c', `x\n-- ${mark}\n`],
    ['in a file of an unknown kind', 'a.bin', `# ${mark}\nx`],
    ['in JSON without comments', 'a.json', `// ${mark}\n{}`],
    ['without a token', 'a.ts', 'a()\n// TEST-GUARD-APPROVED: yes\n'],
    ['under another name', 'a.ts', `a()\n// CHIEF-APPROVED: ${token}\n`],
    ['with code for a token', 'a.sh', 'a\n# TEST-GUARD-APPROVED: $(curl x)\n'],
    ['with a letter of another script', 'a.ts', `a()\n// TEST-GU\u{410}RD-APPROVED: ${token}\n`],
    ['in front of #!', 'a.sh', `# ${mark}\n#!/bin/sh\nset -e\n`],
    ['in front of a coding line', 'a.py', `# ${mark}\n# coding: utf-7\nx\n`],
    ['between #! and a coding line', 'a.py', `#!/usr/bin/python\n# ${mark}\n# coding: utf-7\nx\n`],
    ['in front of a directive of a Dockerfile', 'Dockerfile', `# ${mark}\n# escape=\`\nFROM x\n`],
    ['in front of a byte order mark', 'a.sh', `# ${mark}\n\u{feff}# note; touch X\n`],
    ['behind a byte order mark', 'a.sh', `\u{feff}# ${mark}\ntouch X\n`],
    ['in front of a pragma', 'a.test.js', `// ${mark}\n/** @jest-environment node */\n`],
    ['in front of a blank line', 'a.py', `# ${mark}\n\n# coding: utf-7\n`],
    ['in front of a line that continues', 'a.sh', `# ${mark}\necho \\\nrm x\n`],
    ['behind a line that continues', 'a.sh', `echo \\\n# ${mark}\n`],
    ['behind one that continues by blanks', 'a.c', `// a \\ \t\f\u{200b}\n// ${mark}\n`],
    ['behind one that continues by CR', 'a.sh', `echo \\\r\n# ${mark}\n`],
    ['behind a trigraph', 'a.c', `// a ??/\n// ${mark}\n`],
    ['behind a backtick', 'Dockerfile', `RUN a \`\n# ${mark}\n`],
    ['that would close a comment', 'a.css', `a {} /* b {}\n/* ${mark} */\n`],
    ['that would close a comment that looks closed', 'a.css', `a {} /*/ b {}\n/* ${mark} */\n`],
    ['that would close a comment of XML that looks closed', 'a.xml', `<a/><!-->\n<!-- ${mark} -->\n`],
    ['that would close a comment written in escapes', 'A.java', `a(); \\u002f\\u002a\n/* ${mark} */\n`],
    ['that would close a tag', 'a.html', `<img src=x onerror=run() \n<!-- ${mark} -->\n`],
    [
      'that would close a tag behind a quoted one',
      'a.md',
      `<div onclick=run() title="a>"\n<!-- ${mark} -->\n`,
    ],
    ['in front of the front matter of a page', 'a.md', `<!-- ${mark} -->\n{ "draft": true }\nText\n`],
    ['in a here-document that nobody ended', 'a.sh', `psql <<-'END'\ndelete from a\n# ${mark}\n`],
    ['in a here-document that only looks ended', 'a.sh', `EOF\ncat <<\\EOF\nx\rEOF\n EOF\n# ${mark}\n`],
    ['that MySQL does not take for a comment', 'a.sql', `select 1\n--${mark}\n`],
    ['with a line end that some languages know', 'a.js', `a()\n// ${mark}\u{2028}run()\n`],
    ['with CR in the middle', 'a.py', `a()\n# ${mark}\rrun()\n`],
    ['with two CR', 'a.py', `a()\n# ${mark}\r\r\n`],
  ])('is not recognised: %s', (_, path, content) => {
    expect(findMarkers(path, content)).toEqual([])
  })

  it.each(['//', '#', '--', '/*', '<!--'] as const)('printed as %s is recognised', (style) => {
    const path = { '//': 'a.ts', '#': 'a.py', '--': 'a.lua', '/*': 'a.css', '<!--': 'a.html' }[style]
    expect(originals(path, `x\n${printMarker(style, 'Test Guard', token)}\n`)).toEqual(['x\n'])
  })

  it('is recognised in hostile text as in any other', () => {
    const size = 1 << 20
    for (const text of [' ', '\\', '\r', '\u{200b}', '/* ', 'A-', '`', '\n']) {
      const long = text.repeat(size / text.length)
      expect(originals('a.ts', `${long}x\n// ${mark}\n`)).toEqual([`${long}x\n`])
      expect(findMarkers('a.ts', `// A-APPROVED: ${long}x`)).toEqual([])
    }
  })
})

describe('a marker in JSON', () => {
  const golden: Record<string, readonly string[]> = {
    '{\n  "a": 1,\n  "b": { "c": [1, 2] }\n}\n': [
      `{\n  ${member},\n  "a": 1,\n  "b": { "c": [1, 2] }\n}\n`,
      `{\n  "a": 1,\n  ${member},\n  "b": { "c": [1, 2] }\n}\n`,
      `{\n  "a": 1,\n  "b": { "c": [1, 2] },\n  ${member}\n}\n`,
      `{${member},\n  "a": 1,\n  "b": { "c": [1, 2] }\n}\n`,
      `{ ${member},\n  "a": 1,\n  "b": { "c": [1, 2] }\n}\n`,
      `{\n  "a": 1, ${member},\n  "b": { "c": [1, 2] }\n}\n`,
      `{\n  "a": 1,\n  ${member}, "b": { "c": [1, 2] }\n}\n`,
      `{\n  "a": 1,\n  "b": { "c": [1, 2] }, ${member}\n}\n`,
      `{\n  "a": 1,\n  "b": { "c": [1, 2] }\n  , ${member}\n}\n`,
    ],
    '{"a":1,"b":2}': [
      `{"_approval_token":"${token}","a":1,"b":2}`,
      `{${member}, "a":1,"b":2}`,
      `{"a":1, ${member},"b":2}`,
      `{"a":1,${member}, "b":2}`,
      `{"a":1,"b":2, ${member}}`,
    ],
    '{}': [`{${member}}`, `{ ${member} }`, `{\n  ${member}\n}`],
    '{\n}': [`{\n  ${member}\n}`, `{\n${member}}`, `{${member}\n}`],
    '{\r\n  "a": 1\r\n}\r\n': [`{\r\n  "a": 1,\r\n  ${member}\r\n}\r\n`],
  }

  it.each(Object.entries(golden))('stands for %j', (original, marked) => {
    for (const content of marked) expect(originals('a.json', content)).toContain(original)
  })

  it.each([
    ['further down', `{"a":{${member}}}`],
    ['in a list', `[{${member}}]`],
    ['with an escaped key', `{"_approval\\u005ftoken":"${token}"}`],
    ['whose value is no token', '{"_approval_token":"yes"}'],
    ['in text that is no JSON', `{${member},}`],
    ['behind a byte order mark', `\u{feff}{${member}}`],
  ])('is not recognised %s', (_, content) => {
    expect(findMarkers('a.json', content)).toEqual([])
  })

  it('counts only in JSON files', () => {
    expect(findMarkers('a.ts', `{${member}}`)).toEqual([])
  })
})

describe('two contents with one hash', () => {
  const paths = fc.constantFrom(
    'a.ts',
    'a.py',
    'a.sh',
    'a.css',
    'a.sql',
    'a.md',
    'a.json',
    'Dockerfile',
    'tsconfig.json',
  )
  const pieces = fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    '\u{feff}',
    ' ',
    '\t',
    '\f',
    '\v',
    '\u{85}',
    '\u{2028}',
    '\\',
    '`',
    '??/',
    '#!',
    '# coding: x',
    '{',
    '}',
    ',',
    '"a":1',
    member,
    `"_approval_token":"${other}"`,
    `// ${mark}`,
    `# ${mark}`,
    `/* ${mark} */`,
    `-- ${mark}`,
    `<!-- ${mark} -->`,
    '/*',
    '*/',
    '"',
    'x',
    'rm -rf',
  )
  const contents = fc.array(pieces, { maxLength: 10 }).map((all) => all.join(''))

  it('are the same bytes except for one marker with the token', () => {
    const marked = fc
      .tuple(contents, contents, pieces)
      .map(([before, after, piece]) => [before + after, before + piece + after] as const)
    fc.assert(
      fc.property(paths, marked, (path, [reviewed, spent]) => {
        if (contentHashOf(spent) === contentHashOf(reviewed)) expect(spent).toBe(reviewed)
        for (const { token, originals } of findMarkers(path, spent))
          for (const original of originals) {
            const pieces = piecesMissingIn(original, spent).filter((piece) => onlyMarker.test(piece))
            expect(pieces.some((piece) => piece.includes(token))).toBe(true)
          }
      }),
      { numRuns: 5000 },
    )
  })

  it('are the same bytes after any one-byte edit', () => {
    const edits = fc.tuple(fc.nat(), fc.constantFrom('', '\r', '\u{feff}', ' ', '\f', '\n', 'x'))
    fc.assert(
      fc.property(paths, contents, edits, (path, reviewed, [at, put]) => {
        const place = at % (reviewed.length + 1)
        const spent = reviewed.slice(0, place) + put + reviewed.slice(place + (put === '' ? 1 : 0))
        fc.pre(spent !== reviewed)
        expect(contentHashOf(spent)).not.toBe(contentHashOf(reviewed))
        expect(originals(path, spent).filter((original) => original === reviewed)).toEqual(
          originals(path, spent).filter((original) => contentHashOf(original) === contentHashOf(reviewed)),
        )
      }),
      { numRuns: 5000 },
    )
  })
})

/** A marker with the line end, or the comma and blanks, that was added with it. */
const onlyMarker =
  /^[\s,]*(?:(?:\/\/|#|--|\/\*|<!--) ?[A-Z-]+-APPROVED: [\w-]+(?: \*\/| -->)?|"_approval_token": ?"[\w-]+")[\s,]*$/

/** Every substring of the long text whose removal gives the short text. */
function piecesMissingIn(short: string, long: string): string[] {
  const length = long.length - short.length
  const starts = [...Array(short.length + 1).keys()].filter(
    (from) => long.slice(0, from) + long.slice(from + length) === short,
  )
  return starts.map((from) => long.slice(from, from + length))
}
