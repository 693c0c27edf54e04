import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecretHider } from './hide-secrets.ts'

const SECRET = 'tok/3c1f+"oper&ator'

/** Splits the text into chunks of this many bytes. */
function hide(secrets: readonly string[], text: string, size = text.length || 1): string {
  const stream = createSecretHider(secrets).stream()
  const bytes = Buffer.from(text)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(stream.push(bytes.subarray(at, at + size)))
  return Buffer.concat([...pieces, stream.end()]).toString()
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a secret in a response', () => {
  it.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['in JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
    [
      'in JSON with escapes for everything',
      [...SECRET].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join(''),
    ],
    ['in a query', encodeURIComponent(SECRET)],
    ['in a query, in lower case', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ['in a query in a query', encodeURIComponent(encodeURIComponent(SECRET))],
    ['in a path', encodeURI(SECRET)],
    ['in a form', new URLSearchParams([['', SECRET]]).toString().slice(1)],
    ['in HTML', SECRET.replace('&', '&amp;').replace('"', '&quot;')],
    ['in base64', base64(SECRET).replace(/=+$/, '')],
    ['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
  ])('is hidden %s, however it is cut', (_how, form) => {
    for (let size = 1; size <= form.length + 3; size++)
      expect(hide([SECRET], `a ${form} z, ${form}`, size), `${size}`).toBe('a *** z, ***')
  })

  it.each(['u', 'us', 'user', 'user4'])('is hidden in the base64 of %s:secret', (user) => {
    const basic = base64(`${user}:${SECRET}`)
    const alone = base64(SECRET).replace(/=+$/, '')
    for (let size = 1; size < basic.length; size++) {
      const shown = hide([SECRET], `Basic ${basic}.`, size)
      expect(shown).toMatch(/^Basic \S{0,8}\*\*\*=*\.$/)
      // Nothing that decodes to more than a character of the secret is left.
      expect(shown.length).toBeLessThan(`Basic ${basic}.`.length - alone.length + 8)
    }
  })

  it('is hidden in parts: without its scheme, and decoded', () => {
    expect(hide(['Bearer abcdef-123'], 'got abcdef-123, Bearer realm')).toBe('got ***, Bearer realm')
    expect(hide([`Basic ${base64('me:hunter2hunter2')}`], 'no user me with hunter2hunter2')).toBe(
      'no user me with ***',
    )
    expect(hide(['https://mcp.example/k-93kd82/mcp?key=s3cretkey'], '/k-93kd82/mcp?key=s3cretkey')).toBe(
      '/***/mcp?key=***',
    )
    expect(hide(['https://mcp.example/k-93kd82/mcp'], 'see https://mcp.example/docs')).toBe(
      'see https://mcp.example/docs',
    )
  })

  it('is hidden if most of it is present, in the middle and at the end', () => {
    expect(hide(['abcdefghijklmnop'], 'key abcdefghijkl... is bad')).toBe('key ***... is bad')
    expect(hide(['abcdefghijklmnop'], 'key abcdefg is bad')).toBe('key abcdefg is bad')
    expect(hide(['abcdefghijklmnop'], 'key abcd', 1)).toBe('key ***')
  })

  it('is hidden if secrets overlap or contain one another', () => {
    expect(hide(['abcdefgh', 'efghijkl'], '1abcdefghijkl2')).toBe('1***2')
    expect(hide(['abcdefgh', 'xabcdefghy'], '1xabcdefghy2', 1)).toBe('1***2')
    expect(hide(['aaaaaaab'], 'aaaaaaaaaaaab.')).toBe('***.')
  })

  it('is not hidden if it is too short', () => {
    expect(hide(['eu', '', 'abcde'], 'the queue abcde')).toBe('the queue abcde')
  })

  it('holds back only a possible beginning of a secret', () => {
    const stream = createSecretHider(['secret-1234']).stream()
    const push = (text: string) => Buffer.from(stream.push(Buffer.from(text))).toString()
    expect(push('data: 1\n\n')).toBe('data: 1\n\n')
    expect(push('data: secr')).toBe('data: ')
    expect(push('e')).toBe('')
    expect(push('cy\n\n')).toBe('secrecy\n\n')
    expect(push('data: secret-123')).toBe('data: ')
    expect(push('')).toBe('')
    expect(push('4\n\n')).toBe('***\n\n')
    expect(Buffer.from(stream.end()).toString()).toBe('')
  })

  it('is hidden for every split into chunks, and all other text is unchanged', () => {
    const secret = fc.string({ unit: fc.constantFrom('a', 'b', '/', '"', '%'), minLength: 6, maxLength: 9 })
    const noise = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', '/', '\\', '"', '%', 'ü') }))
    fc.assert(
      fc.property(secret, noise, fc.integer({ min: 1, max: 7 }), (value, parts, size) => {
        const shown = hide([value], `${parts.join(value)}.`, size)
        expect(shown).not.toContain(value)
        expect(hide([value], 'zzzü\n'.repeat(9), size)).toBe('zzzü\n'.repeat(9))
      }),
    )
  })

  it('is found quickly in large responses', () => {
    const text = JSON.stringify({ text: 'the quick brown fox says "tok" \\ '.repeat(60_000) })
    const started = performance.now()
    expect(hide(['tok-3c1f-operator', 'the-other-one-1'], text, 65_536)).toBe(text)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('is found quickly in a response crafted to be slow', () => {
    const secret = 'sk-live-4f9A7c2E8b1D6f3A9c5E7b2D'
    const formsOf = (char: string) => {
      const hex = char.charCodeAt(0).toString(16)
      return [char, `%${hex}`, `%25${hex}`, `\\u00${hex}`, `\\\\u00${hex}`, `%${hex.toUpperCase()}`]
    }
    let seed = 1
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below
    let text = ''
    while (text.length < 200_000)
      for (const char of secret.slice(0, 1 + random(31))) text += formsOf(char)[random(6)] ?? ''
    const started = performance.now()
    hide([secret], text, 65_536)
    expect(performance.now() - started).toBeLessThan(3000)
  })
})
