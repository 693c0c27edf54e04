import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Guarded, HookEvent, Outcome } from '@pml/hooks'
import { readAgentServers } from './agent-servers.ts'
import type { ServerFacts } from './find-refusals.ts'
import { readTrustedServers } from './trusted-servers.ts'

/**
 * At the start of a session and when settings change: what the agent is configured with, against what is locked. At the
 * start the agent is told; a change that takes the hook away or brings another server in is kept out.
 */
export async function watchConfiguration(event: HookEvent, facts: ServerFacts): Promise<Outcome> {
  const differences = await findDifferences(event, facts)
  const isGone = event.moment === 'config-change' && isHookGone(event, facts)
  const sentences = [
    ...(isGone ? ['The settings no longer have the hook of pml; "pml hooks install" puts it back.'] : []),
    ...differences,
  ]
  if (sentences.length === 0) return { kind: 'pass' }
  const text = sentences.join('\n')
  if (event.moment === 'session-start')
    return { kind: 'pass', context: `MCP servers that calls will be refused to:\n${text}\n` }
  return { kind: 'block', text: `BLOCKED::CONFIGURATION_CHANGED\nACTION::tell the person\n\n${text}\n` }
}

async function findDifferences(event: HookEvent, { guarded, place }: ServerFacts): Promise<string[]> {
  const sentences = new Set<string>()
  for (const one of guarded) {
    const trusted = await readTrustedServers(one, place)
    for (const { name, file, launch } of await readAgentServers(event.agent, {
      root: one.root,
      home: place.home,
    })) {
      const objection = await trusted.findObjection(name, undefined, launch)
      if (objection) sentences.add(`${file}: ${objection.why}. ${objection.fix}.`)
    }
  }
  return [...sentences]
}

/** This very hook was started by settings that had it. */
function isHookGone({ agent }: HookEvent, { guarded, place }: ServerFacts): boolean {
  if (agent !== 'claude') return false
  const folders = [place.home, ...guarded.map(({ root }: Guarded) => root)]
  const files = folders.flatMap((folder) =>
    ['settings.json', 'settings.local.json'].map((name) => join(folder, '.claude', name)),
  )
  return !files.some(
    (file) => existsSync(file) && /hook --agent claude|\/hooks\/claude/.test(readFileSync(file, 'utf8')),
  )
}
