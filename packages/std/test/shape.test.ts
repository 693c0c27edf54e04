import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { allCases } from './all-cases.ts'
import { findFault, KEYWORDS } from './find-fault.ts'
import type { Schema } from './find-fault.ts'
import { loadTools } from './load-tools.ts'

const tools = await loadTools()
const named = tools.map((tool) => ({ title: `${tool.module}.${tool.name}`, ...tool }))

describe('the library', () => {
  it('has enough tools to be of use', () => {
    expect(tools.length).toBeGreaterThanOrEqual(40)
    expect(new Set(tools.map((tool) => tool.module)).size).toBeGreaterThanOrEqual(7)
  })

  it('has no cases for tools that do not exist', () => {
    const names = new Set(named.map(({ title }) => title))
    expect(
      allCases.map((one) => `${one.module}.${one.case.tool}`).filter((name) => !names.has(name)),
    ).toEqual([])
  })

  it('describes every tool in words of its own', () => {
    const descriptions = tools.map((tool) => tool.exports.description)
    expect(new Set(descriptions).size).toBe(tools.length)
  })
})

describe.each(named)('$title', ({ module, name, url, source, exports }) => {
  const schema = exports.inputSchema as Schema
  const cases = allCases.filter((one) => one.module === module && one.case.tool === name)

  it('is a file whose path gives a legal name', () => {
    expect(url).toMatch(/\/src\/[a-z][a-z0-9_]*\/[a-z][a-z0-9_]*\.ts$/)
  })

  it('exports a description, a schema, permissions and one function of one argument', () => {
    expect(Object.keys(exports).sort()).toEqual(['default', 'description', 'inputSchema', 'permissions'])
    expect(exports.description).toMatch(/^[A-Z].{15,118}[^.\s]$/)
    expect(exports.default).toBeTypeOf('function')
    expect(exports.default).toHaveProperty('length', 1)
    expect(exports.default).toHaveProperty(
      'name',
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    )
  })

  it('stands alone: it imports from node: only', () => {
    const imported = [...source.matchAll(/^(?:import|export)\b[^'"]*?\bfrom\s*['"]([^'"]*)['"]/gm)].map(
      (match) => match[1],
    )
    expect(imported.filter((specifier) => !specifier?.startsWith('node:'))).toEqual([])
    expect(source).not.toMatch(
      /\bimport\s*\(|^import\s*['"]|\brequire\s*\(|^\s*\/\/\/|\beval\b|\bnew Function\b/m,
    )
  })

  it('uses no global that only Node has', () => {
    const code = source.replaceAll(/\/\*\*.*?\*\/|\/\/.*$/gms, '')
    const importsBuffer = code.includes("import { Buffer } from 'node:buffer'")
    expect({ importsBuffer, usesBuffer: /\bBuffer\b/.test(code) }).toEqual({
      importsBuffer,
      usesBuffer: importsBuffer,
    })
    expect(code).not.toMatch(/\b(?:process|global|__dirname|__filename|setImmediate)\b\s*[.[(]/)
  })

  it.each(['description', 'inputSchema', 'permissions'])(
    'has a %s that can be read without running it',
    (key) => {
      const literal = literalOf(source, key)
      const withoutText = literal.replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, '""')
      expect(withoutText).not.toMatch(/[`+*/()=;-]|\.\.\.|\[\s*""\s*\]\s*:/)
      expect(
        withoutText.match(/\b[A-Za-z_$][\w$]*\b(?!\s*:)/g)?.filter((word) => !LITERALS.has(word)) ?? [],
      ).toEqual([])
      // Through JSON, since objects of another context have other prototypes
      expect(JSON.parse(JSON.stringify(runInNewContext(`(${literal})`)))).toEqual(exports[key])
    },
  )

  it('has an object schema in which every property is described', () => {
    expect(Object.keys(schema)).toEqual(['type', 'properties', 'required', 'additionalProperties'])
    expect(schema).toMatchObject({ type: 'object', required: expect.any(Array), additionalProperties: false })
    const properties = schema.properties ?? {}
    const defaults: Record<string, unknown> = {}
    expect(Object.keys(properties)).toEqual(expect.arrayContaining([...(schema.required ?? [])]))
    for (const [key, property] of Object.entries(properties)) {
      expect(`${key}: ${property.description ?? ''}`).toMatch(/^\w+: \S.{5,}[^.\s]$/)
      expect(Object.keys(property).filter((keyword) => !KEYWORDS.has(keyword))).toEqual([])
      if (property.default === undefined) continue
      defaults[key] = property.default
    }
    expect(findFault({ ...schema, required: [] }, defaults)).toBeUndefined()
    expect(Object.keys(defaults).filter((key) => schema.required?.includes(key))).toEqual([])
  })

  it('declares permissions of known kinds', () => {
    const permissions = Object.entries(exports.permissions as Record<string, string[]>)
    expect(permissions.map(([kind]) => kind).filter((kind) => !PERMISSIONS.has(kind))).toEqual([])
    for (const [, values] of permissions) expect(values).toEqual([expect.any(String)])
  })

  it('has a case that succeeds and one that fails, and one for each of its arguments', () => {
    const succeeding = cases.filter((one) => 'result' in one.case)
    expect(succeeding.length).toBeGreaterThan(0)
    expect(cases.length - succeeding.length).toBeGreaterThan(0)
    const used = new Set(succeeding.flatMap((one) => Object.keys(one.case.args)))
    expect(Object.keys(schema.properties ?? {}).filter((key) => !used.has(key))).toEqual([])
  })

  it('has a schema that accepts the arguments of every case that succeeds', () => {
    const faults = cases.filter((one) => 'result' in one.case).map((one) => findFault(schema, one.case.args))
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })
})

const LITERALS = new Set(['true', 'false', 'null'])
const PERMISSIONS = new Set(['read', 'write', 'net', 'env'])

/** The text between the name of an exported constant and the end of its statement. */
function literalOf(source: string, key: string): string {
  const found = new RegExp(`^export const ${key} =\\s([^]*?)(?: as const)?\\n\\n`, 'm').exec(source)
  return found?.[1] ?? ''
}
