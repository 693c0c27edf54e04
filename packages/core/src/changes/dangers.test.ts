import { describe, expect, it } from 'vitest'
import { dangersOfText } from './dangers.ts'
import { describeChange } from './describe-change.ts'
import { printChange } from './print-change.ts'
import { describeServerChange } from './describe-server.ts'
import { printServerChange } from './print-server-change.ts'
import type { ServerListing } from './server-listing.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const module = (text: string) => ({ type: 'deno', routing: 'client', bytes: bytesOf(text) }) as const
const shown = (before: string, after: string) => printChange(describeChange(module(before), module(after)))

describe('the dangers in new text', () => {
  it.each([
    ['import { a } from "./a.ts"', ['imports']],
    ['const a = require("a")', ['imports']],
    ['import os', ['imports']],
    ['await fetch(address)', ['network']],
    ['const to = "https://evil.example/x"', ['network']],
    ['Deno\n  .connect({ port: 1 })', ['network']],
    ['new Deno.Command("sh")', ['process']],
    ['os.system("x")', ['process']],
    ['send(process.env)', ['process']],
    ['// deno run --allow-net', ['permissions']],
    ['await Deno.permissions.request(x)', ['permissions']],
    ['eval(text)', ['obfuscation']],
    ['f\\u0065tch(x)', ['obfuscation']],
    ['Deno["Com" + "mand"]', ['obfuscation']],
    ['const a = "b\u200bc"', ['obfuscation']],
    [`const a = "${'QUJD'.repeat(40)}"`, ['obfuscation']],
    ['x'.repeat(1001), ['obfuscation']],
    ['const sum = a + b', []],
    ['const found = pattern.exec(text)', []],
  ])('of %j are %j', (text, kinds) => {
    expect(dangersOfText('const a = 1\n', `const a = 1\n${text}\n`)).toEqual(kinds)
  })

  it('are empty if the text was there before', () => {
    const text = 'import a from "a"\nawait fetch("https://a.example")\neval(b)\n'
    expect(dangersOfText(text, `// moved\n${text}`)).toEqual([])
  })

  it('include a changed address', () => {
    expect(dangersOfText('fetch("https://a.example")', 'fetch("https://b.example")')).toEqual(['network'])
  })
})

describe('a difference', () => {
  const dangerous = 'import "npm:x"\nawait fetch(y)\nnew Deno.Command("sh")\neval(z)\n// --allow-all\n'

  it('names all dangers in its first line, although the lines are cut', () => {
    const harmless = Array.from({ length: 5000 }, (_, index) => `const a${index} = ${index}\n`).join('')
    const text = shown('', harmless + dangerous)
    expect(text.split('\n')[0]).toBe('changes: permissions, imports, network, process, obfuscation')
    expect(text).not.toContain('Deno.Command')
  })

  it('has no such line without dangers', () => {
    expect(shown('const a = 1\n', 'const a = 2\n')).not.toContain('changes:')
  })

  it('replaces long runs of blanks and blank lines by their number', () => {
    const text = shown('', `a()${' '.repeat(300)}b()\n${'\n'.repeat(700)}c()\n`)
    expect(text).toContain('+a() … (300 blanks) … b()\n+… (700 blank lines)\n+c()\n')
  })

  it('names what a document starts, contacts and installs', () => {
    const document = (command: string, url: string) =>
      ({
        type: 'http',
        routing: 'client',
        bytes: bytesOf(JSON.stringify({ command, proxyTo: url })),
      }) as const
    const text = printChange(
      describeChange(document('a', 'https://a.example'), document('b', 'https://b.example')),
    )
    expect(text.split('\n')[0]).toBe('changes: network, process')
  })

  it('of a server names how it is started, where its texts lead and what they hide', () => {
    const listing = (command: string, description: string): ServerListing => ({
      launch: { kind: 'stdio', command, args: [], env: [], cwd: null },
      instructions: null,
      tools: [{ name: 'a', description, inputSchema: { type: 'object' } }],
    })
    const [before, after] = [listing('a', 'Reads.'), listing('b', 'Reads\u200b. See https://evil.example')]
    const text = printServerChange(describeServerChange(before, after), { before, after })
    expect(text.split('\n')[0]).toBe('changes: network, process, obfuscation')
    expect(text).not.toContain('\u200b')
  })
})
