import { expect, it } from 'vitest'
import { fillReferences, referencesIn } from './references.ts'

const values = new Map([
  ['A', 'one'],
  ['_b2', 'two'],
  ['NESTED', '${A}'],
  ['PATTERN', '$& $1 $$'],
])
const fill = (text: string) => fillReferences(text, (name) => values.get(name))

it.each([
  ['${A}/${_b2}/${A}', 'one/two/one'],
  ['before ${MISSING} after', 'before  after'],
  ['$A $${A} ${A', '$A $one ${A'],
  ['${} ${2a} ${a-b} ${env:A} ${A:-x}', '${} ${2a} ${a-b} ${env:A} ${A:-x}'],
  ['${A${_b2}}', '${Atwo}'],
  ['${NESTED}', '${A}'],
  ['${PATTERN}', '$& $1 $$'],
  ['${constructor}${__proto__}', ''],
])('fills %s', (text, filled) => {
  expect(fill(text)).toBe(filled)
})

it('lists the names in order', () => {
  expect(referencesIn('${B} ${A} $C ${B} ${a-b}')).toEqual(['B', 'A', 'B'])
})

it('supports another form of references', () => {
  const form = /%([^%]*)%/g
  expect(fillReferences('%A% ${A}', (name) => values.get(name), form)).toBe('one ${A}')
  expect(referencesIn('%A%%any words%', form)).toEqual(['A', 'any words'])
})
