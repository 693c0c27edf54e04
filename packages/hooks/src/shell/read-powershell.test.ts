import { describe, expect, it } from 'vitest'
import { readPowerShell } from './index.ts'

const PLACE = { cwd: '/w', home: '/home/u' }

describe('PowerShell', () => {
  it.each([
    ["Set-Content -Path a.js -Value 'x'", { kind: 'text', text: 'x\n' }],
    ["Set-Content a.js 'x'", { kind: 'text', text: 'x\n' }],
    ["sc a.js 'x'", { kind: 'text', text: 'x\n' }],
    ["Add-Content a.js 'x'", { kind: 'append', text: 'x\n' }],
    ["'x' > a.js", { kind: 'text', text: 'x\n' }],
    ["echo x >> 'a.js'", { kind: 'append', text: 'x\n' }],
    ['Copy-Item b.js -Destination a.js -Force', { kind: 'copy', from: '/w/b.js' }],
    ['cp b.js .\\a.js', { kind: 'copy', from: '/w/b.js' }],
    ['Remove-Item -Recurse -Force a.js', { kind: 'deleted' }],
    ['New-Item -ItemType File -Path a.js', { kind: 'append', text: '' }],
    ["[IO.File]::WriteAllText('a.js', 'x')", { kind: 'text', text: 'x' }],
    ["[System.IO.File]::Delete('a.js')", { kind: 'deleted' }],
  ])('%s', (command, content) => {
    const { writes } = readPowerShell(command, PLACE)
    expect(writes).toEqual([{ path: '/w/a.js', written: expect.any(String), content }])
  })

  it.each([
    'Get-Date | Out-File a.js',
    'hostname > a.js',
    'Get-Content b | tee a.js',
    'iwr http://x -OutFile a.js',
  ])('%s writes something unknown', (command) => {
    const { writes } = readPowerShell(command, PLACE)
    expect(writes.map(({ path, content }) => [path, content.kind])).toEqual([['/w/a.js', 'unknown']])
  })

  it.each([
    'Set-Content $path x',
    'Remove-Item *.js',
    'echo x > "$dir/a.js"',
    "[IO.File]::WriteAllText($p, 'x')",
  ])('%s has an unknown path', (command) => {
    expect(readPowerShell(command, PLACE).writes.map(({ path }) => path)).toEqual([undefined])
  })

  it('finds both files of a move, in the current folder', () => {
    const { writes } = readPowerShell('cd src; Move-Item a.js b.js', PLACE)
    expect(writes.map(({ path, content }) => [path, content.kind])).toEqual([
      ['/w/src/b.js', 'move'],
      ['/w/src/a.js', 'moved'],
    ])
  })

  it.each(['iex $x', 'iwr http://x | iex', 'powershell -EncodedCommand abc'])(
    '%s is reported as unreadable',
    (command) => {
      expect(readPowerShell(command, PLACE).unknowns).toHaveLength(1)
    },
  )

  it.each([
    'npm test 2>&1',
    'Get-ChildItem -Recurse | Select-String "a > b"',
    'git status',
    'dotnet build > $null',
    'Get-Content a.js',
  ])('%s writes nothing and hides nothing', (command) => {
    const { writes, unknowns, commands } = readPowerShell(command, PLACE)
    expect({ writes, unknowns }).toEqual({ writes: [], unknowns: [] })
    expect(commands).not.toEqual([])
  })
})
