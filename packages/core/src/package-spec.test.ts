import { expect, test } from 'vitest'
import { isRegistryRange, packageSpecOf } from './package-spec.ts'

test.each([
  ['pkg', { spec: 'pkg', name: 'pkg', args: [] }],
  ['-y @scope/pkg', { spec: '@scope/pkg', name: '@scope/pkg', args: [] }],
  ['--yes pkg@latest --port 3000', { spec: 'pkg@latest', name: 'pkg', args: ['--port', '3000'] }],
  ['-y @scope/pkg@^1.2 -- dir', { spec: '@scope/pkg@^1.2', name: '@scope/pkg', args: ['--', 'dir'] }],
  ['-y -- pkg -y', { spec: 'pkg', name: 'pkg', args: ['-y'] }],
  ['-p pkg@1.0.0 tool --flag', { spec: 'pkg@1.0.0', name: 'pkg', program: 'tool', args: ['--flag'] }],
  ['--package=@scope/pkg -y tool', { spec: '@scope/pkg', name: '@scope/pkg', program: 'tool', args: [] }],
  ['--package pkg -- tool -x', { spec: 'pkg', name: 'pkg', program: 'tool', args: ['-x'] }],
  ['--registry https://r.example pkg', { spec: 'pkg', name: 'pkg', args: [] }],
  ['--registry=https://r.example pkg', { spec: 'pkg', name: 'pkg', args: [] }],
])('npx %s', (line, expected) => {
  expect(packageSpecOf({ command: 'npx', args: line.split(' ') })).toEqual(expected)
})

test.each([
  '',
  '-y',
  '-c tool',
  '--unknown pkg',
  '-p a -p b tool',
  '-p pkg',
  'github:owner/repo',
  'owner/repo',
  'git+https://example.com/repo.git',
  'https://example.com/pkg.tgz',
  './folder',
  'file:../folder',
  'pkg@git+https://example.com/repo.git',
  'pkg@npm:other@1.0.0',
  'pkg@file.tgz',
  '${PACKAGE}',
  'pkg@${VERSION}',
  '@/pkg',
  '../../etc',
])('npx %s names nothing that can be pinned', (line) => {
  expect(packageSpecOf({ command: 'npx', args: line.split(' ').filter(Boolean) })).toBeUndefined()
})

test('other commands name no npm package', () => {
  expect(packageSpecOf({ command: 'uvx', args: ['pkg'] })).toBeUndefined()
  expect(packageSpecOf({ args: [] })).toBeUndefined()
  expect(packageSpecOf({ command: '/usr/bin/npx', args: ['pkg'] })).toBeDefined()
  expect(packageSpecOf({ command: 'C:\\node\\npx.cmd', args: ['pkg'] })).toBeDefined()
})

test.each(['^1.0.0', '>=1 <2 || 3.x', '*', '', 'latest', 'npm:other@^1', 'npm:@scope/other'])(
  'a registry resolves %j',
  (range) => {
    expect(isRegistryRange(range)).toBe(true)
  },
)

test.each([
  'git://h/r',
  'github:o/r',
  'o/r',
  'file:x',
  'link:x',
  'https://h/x.tgz',
  'npm:o/r',
  'x.tgz',
  'workspace:*',
  '..\\x',
])('no registry resolves %j', (range) => expect(isRegistryRange(range)).toBe(false))
