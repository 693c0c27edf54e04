import type { Case } from '../case.ts'

const cases: Case[] = [
  { tool: 'base64_encode', args: { text: 'é✓?>' }, result: { base64: 'w6ninJM/Pg==' } },
  { tool: 'base64_encode', args: { text: 'é✓?>', urlSafe: true }, result: { base64: 'w6ninJM_Pg' } },
  { tool: 'base64_encode', args: { text: '' }, result: { base64: '' } },
  { tool: 'base64_encode', args: { text: '\ud800' }, error: 'expected text to be well-formed Unicode' },
  { tool: 'base64_encode', args: {}, error: 'Cannot encode: expected text to be a string, got undefined' },

  { tool: 'base64_decode', args: { base64: 'w6nin\nJM/Pg==' }, result: { text: 'é✓?>' } },
  { tool: 'base64_decode', args: { base64: 'w6ninJM_Pg' }, result: { text: 'é✓?>' } },
  { tool: 'base64_decode', args: { base64: '/w==', output: 'hex' }, result: { hex: 'ff' } },
  { tool: 'base64_decode', args: { base64: '' }, result: { text: '' } },
  { tool: 'base64_decode', args: { base64: '/w==' }, error: 'the bytes are not UTF-8 text; use output hex' },
  {
    tool: 'base64_decode',
    args: { base64: 'a*bc' },
    error: 'Cannot decode: expected base64 to hold whole base64 digits',
  },
  { tool: 'base64_decode', args: { base64: 'abcde' }, error: 'expected base64 to hold whole base64 digits' },
  { tool: 'base64_decode', args: { base64: 'ab=' }, error: 'expected base64 to hold whole base64 digits' },
  {
    tool: 'base64_decode',
    args: { base64: 'ab', output: 'x' },
    error: 'expected output to be text or hex, got "x"',
  },

  { tool: 'hex_encode', args: { text: 'é/' }, result: { hex: 'c3a92f' } },
  { tool: 'hex_encode', args: { text: 'é/', upperCase: true }, result: { hex: 'C3A92F' } },
  {
    tool: 'hex_encode',
    args: { text: [] },
    error: 'Cannot encode: expected text to be a string, got object',
  },

  { tool: 'hex_decode', args: { hex: 'C3:a9 2f' }, result: { text: 'é/' } },
  { tool: 'hex_decode', args: { hex: 'ff', output: 'base64' }, result: { base64: '/w==' } },
  {
    tool: 'hex_decode',
    args: { hex: 'abc' },
    error: 'expected hex to hold two digits for each byte, got 3 digits',
  },
  { tool: 'hex_decode', args: { hex: 'zz' }, error: 'expected hex to hold only hexadecimal digits, got "z"' },
  { tool: 'hex_decode', args: { hex: 'ff' }, error: 'the bytes are not UTF-8 text; use output base64' },

  { tool: 'url_encode', args: { text: 'a b/é&(x)!' }, result: { encoded: 'a%20b%2F%C3%A9%26%28x%29%21' } },
  { tool: 'url_encode', args: { text: 'a b/é', keepSlashes: true }, result: { encoded: 'a%20b/%C3%A9' } },
  { tool: 'url_encode', args: { text: '\udc00' }, error: 'expected text to be well-formed Unicode' },
  { tool: 'url_encode', args: { text: 0 }, error: 'Cannot encode: expected text to be a string, got number' },

  { tool: 'url_decode', args: { encoded: 'a%20b+%C3%A9' }, result: { text: 'a b+é' } },
  { tool: 'url_decode', args: { encoded: 'a+b', plusIsSpace: true }, result: { text: 'a b' } },
  {
    tool: 'url_decode',
    args: { encoded: '%E9' },
    error: 'expected encoded to have escapes of whole UTF-8 characters',
  },
  { tool: 'url_decode', args: { encoded: '100%' }, error: 'Cannot decode' },

  {
    tool: 'query_parse',
    args: { text: 'https://a.example/x?q=a+b&q=%C3%A9&__proto__=1&e#?f=1' },
    result: {
      parameters: [
        { name: 'q', value: 'a b' },
        { name: 'q', value: 'é' },
        { name: '__proto__', value: '1' },
        { name: 'e', value: '' },
      ],
    },
  },
  {
    tool: 'query_parse',
    args: { text: 'a=1&b=2=3' },
    result: {
      parameters: [
        { name: 'a', value: '1' },
        { name: 'b', value: '2=3' },
      ],
    },
  },
  { tool: 'query_parse', args: { text: 'https://a.example/a=1' }, result: { parameters: [] } },
  { tool: 'query_parse', args: { text: null }, error: 'Cannot parse query: expected text to be a string' },

  {
    tool: 'query_format',
    args: { parameters: { q: 'a b&é', n: 1, list: [true, 'x'], no: null } },
    result: { query: 'q=a+b%26%C3%A9&n=1&list=true&list=x' },
  },
  {
    tool: 'query_format',
    args: { parameters: { b: 2 }, url: 'https://a.example/x?a=1#f' },
    result: { query: 'b=2', url: 'https://a.example/x?a=1&b=2#f' },
  },
  { tool: 'query_format', args: { parameters: {} }, result: { query: '' } },
  {
    tool: 'query_format',
    args: { parameters: { a: {} } },
    error: 'expected a to be text, a number or a boolean, got {}',
  },
  {
    tool: 'query_format',
    args: { parameters: {}, url: 'javascript:1' },
    error: 'expected url to be an http or https URL, got "javascript:1"',
  },
  {
    tool: 'query_format',
    args: { parameters: [] },
    error: 'Cannot format query: expected parameters to be an object, got []',
  },

  {
    tool: 'html_escape',
    args: { text: `<a href="x" title='y'>&amp; é</a>` },
    result: { html: '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp; é&lt;/a&gt;' },
  },
  { tool: 'html_escape', args: { text: '' }, result: { html: '' } },
  {
    tool: 'html_escape',
    args: { text: 1 },
    error: 'Cannot escape: expected text to be a string, got number',
  },

  {
    tool: 'html_unescape',
    args: { html: '&lt;b&gt; &amp;lt; &#233;&#xE9;&#x1F600; &nbsp;&hellip;' },
    result: { text: '<b> &lt; éé😀 \u00a0…' },
  },
  {
    tool: 'html_unescape',
    args: { html: '&#0;&#xD800;&#9999999; &unknown; &toStrg; &amp' },
    result: { text: '\ufffd\ufffd\ufffd &unknown; &toStrg; &amp' },
  },
  {
    tool: 'html_unescape',
    args: { html: {} },
    error: 'Cannot unescape: expected html to be a string, got object',
  },

  {
    tool: 'csv_parse',
    args: { text: '\uFEFFname,note\r\n"a ""b"", c","two\nlines"\r\né,\n\n' },
    result: {
      columns: ['name', 'note'],
      rows: [
        { name: 'a "b", c', note: 'two\nlines' },
        { name: 'é', note: '' },
      ],
    },
  },
  {
    tool: 'csv_parse',
    args: { text: 'a;b\n1;', delimiter: ';', header: false },
    result: {
      rows: [
        ['a', 'b'],
        ['1', ''],
      ],
    },
  },
  { tool: 'csv_parse', args: { text: '"",x\n""', header: false }, result: { rows: [['', 'x'], ['']] } },
  {
    tool: 'csv_parse',
    args: { text: '__proto__\n1' },
    result: { columns: ['__proto__'], rows: [JSON.parse('{"__proto__":"1"}')] },
  },
  { tool: 'csv_parse', args: { text: '' }, result: { columns: [], rows: [] } },
  {
    tool: 'csv_parse',
    args: { text: 'a,b\n1' },
    error: 'Cannot parse CSV: expected 2 fields in row 2, got 1',
  },
  {
    tool: 'csv_parse',
    args: { text: 'a,a\n1,2' },
    error: "expected columns with different names, got 'a' twice",
  },
  { tool: 'csv_parse', args: { text: 'a\n"b' }, error: "expected a closing quote, got none for '\"b'" },
  {
    tool: 'csv_parse',
    args: { text: '"a"b' },
    error: 'expected the end of a field after its closing quote, got "b"',
  },
  {
    tool: 'csv_parse',
    args: { text: 'a', delimiter: 'x' },
    error: 'expected delimiter to be a comma, semicolon, tab or bar, got "x"',
  },

  {
    tool: 'csv_format',
    args: { rows: [{ a: 'x,"y"', b: 1 }, { b: null, c: [1] }, { a: ' é\n' }] },
    result: { text: 'a,b,c\r\n"x,""y""",1,\r\n,,[1]\r\n" é\n",,\r\n' },
  },
  {
    tool: 'csv_format',
    args: { rows: [{ a: 'x;', b: true }], columns: ['b', 'a', 'toString'], delimiter: ';' },
    result: { text: 'b;a;toString\r\ntrue;"x;";\r\n' },
  },
  { tool: 'csv_format', args: { rows: [] }, result: { text: '' } },
  {
    tool: 'csv_format',
    args: { rows: [[1]] },
    error: 'Cannot format CSV: expected rows[0] to be an object, got [1]',
  },
]

export default cases
