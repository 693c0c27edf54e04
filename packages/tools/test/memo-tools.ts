import { z } from 'zod'
import { defineTool, ToolRegistry } from '../src/index.ts'
import type { Command } from '../src/ready-tool.ts'

/** Text that a shell or a terminal would interpret. */
export const hostile = 'It\'s "quoted" $(touch pwned) `touch pwned` ${HOME} \\ %F{red} [a:b]; done'

const create = defineTool({
  name: 'memo_create',
  description:
    '# Memo\n\nKeeps a memo.\n\n## Examples\n\n```json\n{ "text": "it\'s me", "tags": ["a", "b c"], "deep": false }\n```\n',
  input: z.object({
    text: z.string().describe('what to keep'),
    kind: z.enum(['note', 'todo', "'tis' $(touch pwned)"]).default('note').describe('what it is'),
    tags: z.array(z.string()).default([]),
    limit: z.int().min(1).max(100).default(20).describe('how many'),
    ratio: z.number().optional(),
    deep: z.boolean().default(true),
    sizes: z.array(z.int()).optional(),
    votes: z.array(z.boolean()).optional(),
    expiresInDays: z.int().optional(),
  }),
  output: z.object({ text: z.string() }),
  effect: 'write',
  run: (_context: object, { text }) => ({ text }),
})

const move = defineTool({
  name: 'memo_move',
  description: 'Moves a memo.',
  input: z.object({ from: z.string(), by: z.int(), isForced: z.boolean(), into: z.string().optional() }),
  output: z.object({ moved: z.boolean() }),
  effect: 'destructive',
  run: () => ({ moved: true }),
})

const feed = defineTool({
  name: 'zoo_feed_all',
  description: hostile,
  input: z.object({ food: z.string().optional().describe(`${hostile}\nand a second line`) }),
  output: z.object({}),
  effect: 'write',
  run: () => ({}),
})

const find = defineTool({
  name: 'memo_find',
  description: 'Finds memos.\n\n## Examples\n\n```json\n{ "names": ["a", "--b"], "deep": true }\n```\n',
  input: z.object({ names: z.array(z.string()).describe('which'), deep: z.boolean().optional() }),
  output: z.object({ names: z.array(z.string()) }),
  effect: 'read',
  cli: { word: 'find', rest: 'names' },
  run: (_context: object, { names }) => ({ names }),
})

const tag = defineTool({
  name: 'memo_tag',
  description: 'Tags a memo.',
  input: z.object({ id: z.int(), votes: z.array(z.int()).optional(), by: z.string() }),
  output: z.object({}),
  effect: 'write',
  cli: { rest: 'votes' },
  run: () => ({}),
})

const apply = defineTool({
  name: 'memo_apply',
  description: 'Applies a tool.\n\n## Examples\n\n```json\n{ "tool": "a:b", "args": { "path": "." } }\n```\n',
  input: z.object({
    tool: z.string(),
    args: z.record(z.string(), z.unknown()).default({}).describe('what the tool gets'),
    deep: z.boolean().optional(),
  }),
  output: z.object({ args: z.record(z.string(), z.unknown()) }),
  effect: 'write',
  cli: { word: 'apply', input: 'args' },
  run: (_context: object, { args }) => ({ args }),
})

export function memoTools(): ToolRegistry<object> {
  const tools = new ToolRegistry<object>()
  for (const tool of [create, move, feed, find, tag, apply]) tools.register(tool)
  return tools
}

export function commandOf(name: string): Command {
  const command = memoTools().find(name)?.command
  if (!command) throw new Error(`There is no tool '${name}' to test with`)
  return command
}
