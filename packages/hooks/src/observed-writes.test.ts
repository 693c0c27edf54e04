import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findAdapter } from './agents/index.ts'
import type { JsonObject } from './event.ts'
import type { FileContent, World } from './world.ts'
import { writesOf } from './writes-of.ts'

/** Calls that real agents made, with the file before and after them. `hex`: the bytes are not UTF-8. */
interface Observed {
  readonly case: string
  readonly tool: string
  readonly input: JsonObject | string
  readonly before: string | { readonly hex: string } | null
  readonly after: string | { readonly hex: string } | null
}

const folder = new URL('../test/observed-writes/', import.meta.url)

function observedBy(agent: string): Observed[] {
  const file = readdirSync(folder).find((name) => name.startsWith(`${agent}-`)) ?? ''
  const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Observed)
}

function writeOf(agent: string, { tool, input, before }: Observed) {
  const event = findAdapter(agent)?.parse({
    cwd: '/w',
    ...(agent === 'copilot'
      ? { toolName: tool, toolArgs: input }
      : {
          hook_event_name: agent === 'gemini' ? 'BeforeTool' : 'PreToolUse',
          tool_name: tool,
          tool_input: input,
        }),
  })
  const content: FileContent =
    before === null
      ? { kind: 'missing' }
      : typeof before === 'string' && !before.includes('\0')
        ? { kind: 'text', text: before }
        : { kind: 'unknown', isThere: true }
  const world: World = {
    home: '/home/me',
    readFile: (path) => (path === '/w/file.txt' ? content : { kind: 'missing' }),
    realPath: (path) => path,
    otherNames: () => [],
    expand: () => [],
  }
  const writes = event ? writesOf(event, world, undefined) : []
  return writes.findLast(({ paths }) => paths.includes('/w/file.txt'))
}

/**
 * Cases that the hook cannot predict: the agent searches loosely, keeps another encoding, or chooses line ends in an unknown
 * way.
 */
const unknown: Readonly<Record<string, RegExp>> = {
  claude: /utf16|curly-quotes/,
  codex: /nul$/,
  copilot: new RegExp(
    [
      'edit-(?:utf16|latin1|nul|invalid-utf8|curly-quotes|nfd|typo|old-mis|old-extra|trail-first)',
      'edit-(?:mixed-|all-mixed|tie|short-|bom-crlf|lf-crlf-old-indented)',
      'edit-crlf-(?:partial-|indented-partial|start-nl)',
      'patch-(?:utf16|latin1|nul|mixed-|cr-only|crcrlf|bom-|append-context-at|order|rstrip|dashes|nbsp)',
      'patch-(?:.+-)?trim$',
    ].join('|'),
  ),
  gemini: /utf16|latin1|nul$|invalid-utf8|old-mis|old-extra|typo/,
}

describe.each(Object.keys(unknown))('the observed writes of %s', (agent) => {
  it.each(observedBy(agent).map((observed) => [observed.case, observed] as const))('%s', (name, observed) => {
    const write = writeOf(agent, observed)
    const isKnown = unknown[agent]?.test(name) === false || name === 'write-new-nul'
    expect({ isExact: write?.isExact }).toEqual({ isExact: isKnown })
    if (!isKnown) return
    const bytes = write?.after.kind === 'text' ? Buffer.from(write.after.text) : undefined
    const { after } = observed
    expect(bytes?.toString()).toBe(Buffer.from(typeof after === 'string' ? after : '').toString())
  })
})
