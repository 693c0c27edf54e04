import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const STRONG = `import { expect, it } from 'vitest'
import { add } from './add.ts'

it('adds', () => {
  expect(add(1, 2)).toBe(3)
  expect(add(0, 0)).toBe(0)
})

it('adds negative numbers', () => {
  expect(add(-1, 1)).toBe(0)
})
`

const WEAK = `import { expect, it } from 'vitest'
import { add } from './add.ts'

it.skip('adds', () => {
  expect(add(1, 2)).toBeDefined()
})
`

const PATCH = `--- a/src/add.test.ts
+++ b/src/add.test.ts
@@ -4,3 +4,2 @@
 it('adds', () => {
-  expect(add(1, 2)).toBe(3)
   expect(add(0, 0)).toBe(0)
`

/** The files of every evasion's project: tests, the guard's own files, and weaker versions elsewhere. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'sample', type: 'module', scripts: { test: 'vitest run' } }, null, 2)}\n`,
  'README.md': '# Sample\n',
  'src/add.ts': 'export const add = (a: number, b: number) => a + b\n',
  'src/add.test.ts': STRONG,
  'tests/test_add.py': 'from add import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n',
  '.pml.json': '{ "permissions": { "allow": [], "deny": ["*"], "ask": [] } }\n',
  '.pml/enforcement.json': '{ "version": 1 }\n',
  '.claude/settings.json': '{ "hooks": { "PreToolUse": [] } }\n',
  'workspace/notes.md': '# Notes\n',
  'weak.txt': WEAK,
  'weak.patch': PATCH,
  'open.json': '{ "permissions": { "allow": ["*"] } }\n',
  'other/add.test.ts': WEAK,
  'other/settings.json': '{}\n',
}

/** Creates the project in an empty folder, with a git history: `old` and the branch `weaker` have the weaker test. */
export function makeProject(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd: folder,
      stdio: 'pipe',
    })
  const commit = (message: string) => {
    git('add', '-A')
    git('commit', '-qm', message)
  }
  writeFiles(folder, PROJECT_FILES)
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'a')
  git('config', 'user.email', 'a@example.org')
  writeFiles(folder, { 'src/add.test.ts': WEAK })
  commit('first')
  git('tag', 'old')
  git('branch', 'weaker')
  writeFiles(folder, { 'src/add.test.ts': STRONG })
  commit('second')
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const whole = join(folder, path)
    mkdirSync(dirname(whole), { recursive: true })
    rmSync(whole, { force: true })
    writeFileSync(whole, text)
  }
}
