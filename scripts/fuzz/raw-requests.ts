import fc, { type Arbitrary } from 'fast-check'
import type { World } from './world.ts'

/** Bytes that are almost HTTP: wrong lengths, odd framing, broken lines, random bytes. */
export function rawRequests({ url, entries }: World): Arbitrary<string> {
  const host = new URL(url).host
  const line = fc
    .tuple(
      fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS', 'get', 'G T', '', 'M'.repeat(100)),
      fc.constantFrom(
        `/mcp/${entries[0]?.name}`,
        '/mcp',
        '',
        'x',
        '*',
        '/mcp\\',
        `http://${host}/mcp`,
        '/ /',
        '/\0',
        '/\u00ff',
      ),
      fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', '', 'HTTP/1.1 x'),
    )
    .map((parts) => parts.join(' '))
  const field = fc.constantFrom(
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 1e1',
    'Content-Length: 5, 5',
    'Content-Length: 99',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding: \tchunked',
    'Transfer-Encoding: xchunked',
    ' folded: 1',
    'Expect: 100-continue',
    'Expect: 200-ok',
    'Expect: 100-continue, 100-continue',
    'Connection: upgrade',
    'Upgrade: websocket',
    'No colon',
    ': no name',
    'A: \0',
    `X: ${'x'.repeat(20_000)}`,
    'Content-Type: application/json',
    'Bare: \n LF',
    'A\u00e9: 1',
    'TE: trailers',
  )
  const body = fc.constantFrom(
    '',
    'hello',
    '{}',
    '0\r\n\r\n',
    '5\r\nhello\r\n0\r\n\r\n',
    'fffffffffffffffff\r\n',
    '-1\r\n',
  )
  const hosts = fc.constantFrom<string[]>(
    [`Host: ${host}`],
    [`Host: ${host}`],
    [],
    [`Host: ${host}`, `Host: ${host}`],
    ['Host:'],
    ['Host: a b'],
    ['Host: x@y'],
    ['Host: [::1'],
    ['Host: h:99999'],
  )
  const smuggled = `GET /nothing HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  return fc
    .record({
      line,
      hosts,
      fields: fc.array(field, { maxLength: 3 }),
      body,
      after: fc.constantFrom('', '', smuggled),
    })
    .map(({ line, hosts, fields, body, after }) =>
      [line, ...hosts, ...fields, '', `${body}${after}`].join('\r\n'),
    )
}
