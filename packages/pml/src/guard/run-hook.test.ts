import { describe, expect, it } from 'vitest'
import { hookedProject } from '../../test/hook-place.ts'

describe('a command', () => {
  it('is read in the language of its shell', async () => {
    const project = hookedProject()
    const run = async (tool: string, command: string) => {
      const { stderr } = await project.call(tool, { command })
      return stderr.split('\n', 1)[0]
    }
    const powershell = "Set-Content -Path workspace/a.js -Value '1'"
    expect(await run('PowerShell', powershell)).toBe('BLOCKED::EXECUTABLE_IN_WORKSPACE')
    // PowerShell knows what is written; in bash this is a program that nobody knows, with a test's name.
    const test = "Set-Content -Path src/a.test.ts -Value 'expect(true).toBe(true)'"
    expect(await run('PowerShell', test)).toBe('BLOCKED::TEST_PLACEHOLDER')
    expect(await run('Bash', test)).toBe('BLOCKED::TEST_SKIPPED')
    expect(await run('Bash', "tee workspace/a.js <<< '1'")).toBe('BLOCKED::EXECUTABLE_IN_WORKSPACE')
  })
})
