import { expect, test } from 'vitest'
import { diffPins } from './diff-pins.ts'
import type { LockEntry, Pin } from './pin.ts'

const nothing = { added: [], removed: [] }

test('a first pin adds everything', () => {
  const diff = diffPins(
    undefined,
    pin({ version: '1.0.0', left: { version: '1.0.0', hasInstallScript: true } }),
  )
  expect(diff).toMatchObject({ server: 'files', package: 'files', before: undefined, after: '1.0.0' })
  expect(diff.packages.added.map(({ location }) => location)).toEqual([
    'node_modules/files',
    'node_modules/left',
  ])
  expect(diff.tools).toEqual({ added: ['read'], removed: [], changed: [] })
  expect(diff.installScripts).toEqual(['node_modules/left'])
})

test('the same pin changes nothing', () => {
  const diff = diffPins(pin({ version: '1.0.0' }), pin({ version: '1.0.0' }))
  expect(diff.packages).toEqual({ ...nothing, bumped: [], rehashed: [] })
  expect(diff.tools).toEqual({ ...nothing, changed: [] })
})

test('separates versions, changed bytes under one version, and added and removed packages', () => {
  const before = pin({
    version: '1.0.0',
    left: { version: '1.0.0', integrity: 'a' },
    gone: { version: '3.0.0' },
  })
  const after = pin({
    version: '1.1.0',
    left: { version: '1.0.0', integrity: 'b' },
    come: { version: '4.0.0' },
  })
  expect(diffPins(before, after).packages).toEqual({
    added: [{ location: 'node_modules/come', before: undefined, after: '4.0.0' }],
    removed: [{ location: 'node_modules/gone', before: '3.0.0', after: undefined }],
    bumped: [{ location: 'node_modules/files', before: '1.0.0', after: '1.1.0' }],
    rehashed: [{ location: 'node_modules/left', before: '1.0.0', after: '1.0.0' }],
  })
})

test('names added, removed and changed tools', () => {
  const before = pin({ version: '1.0.0' }, [tool('read', 'Reads'), tool('drop', '')])
  const after = pin({ version: '1.0.0' }, [tool('read', 'Reads and sends'), tool('make', '')])
  expect(diffPins(before, after).tools).toEqual({ added: ['make'], removed: ['drop'], changed: ['read'] })
})

test('a pin without a listing says so', () => {
  expect(diffPins(undefined, pin({ version: '1.0.0' }, null)).toolsListed).toBe(false)
})

function pin(
  { version, ...entries }: { version: string } & Record<string, LockEntry | string>,
  tools: Pin['tools'] = [tool('read', '')],
): Pin {
  const others = Object.entries(entries).flatMap(([name, entry]) =>
    typeof entry === 'string' ? [] : [[`node_modules/${name}`, entry] as const],
  )
  const packages = { '': {}, 'node_modules/files': { version }, ...Object.fromEntries(others) }
  const about = { server: 'files', spec: 'files', package: 'files', version, integrity: '', bin: '' }
  return {
    $schema: '../pin.schema.json',
    ...about,
    lock: { name: 'pin', lockfileVersion: 3, packages },
    tools,
  }
}

function tool(name: string, description: string): NonNullable<Pin['tools']>[number] {
  return { name, description, inputSchema: { type: 'object' } }
}
