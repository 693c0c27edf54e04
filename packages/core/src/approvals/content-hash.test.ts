import { describe, expect, it } from 'vitest'
import { contentHashOf, withLineFeeds } from './content-hash.ts'

describe('the hash of content', () => {
  it('is the SHA-256 of its UTF-8 bytes', () => {
    expect(contentHashOf('')).toBe('sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(contentHashOf('h\u{e9}llo\n')).toBe(
      'sha256-b95becd154aa095f76c4ca47a5aeb8350d6dfcb838404edfc9dae06628de938d',
    )
  })

  it.each([
    ['a byte order mark', '# note; touch X', '\u{feff}# note; touch X'],
    ['CRLF', 'echo a \\\nrm b\n', 'echo a \\\r\nrm b\n'],
    ['two CR before LF', '// a \\\nrun()\n', '// a \\\r\r\nrun()\n'],
    ['a form feed behind a backslash', '# a \\\nb', '# a \\\f\nb'],
    ['a final newline', 'a', 'a\n'],
    ['trailing blanks', 'a\n', 'a \n'],
    ['the form of a character', '\u{e9}', 'e\u{301}'],
  ])('differs with %s', (_, one, other) => {
    expect(contentHashOf(one)).not.toBe(contentHashOf(other))
  })
})

describe('lines for patterns', () => {
  it('are split at every line end of some language', () => {
    expect(withLineFeeds('a\r\nb\rc\nd\ve\ff\u{85}g\u{2028}h\u{2029}i\r\r\nj')).toBe(
      'a\nb\nc\nd\ne\nf\ng\nh\ni\n\nj',
    )
  })
})
