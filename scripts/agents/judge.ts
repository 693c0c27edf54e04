import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScriptedCall as Call } from '@pml/hooks/agents'
import type { Agent } from './agents/agent.ts'
import { findFile, type Place } from './place.ts'
import type { Told, Turn } from './scenarios.ts'

const SHOWN_CHARACTERS = 400
/** Errors may repeat the arguments of a call, so the text of a result alone proves nothing. */
const refusals = ['BLOCKED::', 'Cannot ', 'pml continue', 'tool error', 'unsupported call']

/** Returns the differences from the expected turn as sentences; empty if there are none. */
export async function judgeTurn(
  agent: Agent,
  { calls, told, disk = {} }: Turn,
  { results, place }: { results: readonly string[]; place: Place },
): Promise<string[]> {
  const words = calls.flatMap((call, index) => judgeResult(agent, call, { told, result: results[index] }))
  const files = await Promise.all(
    Object.entries(disk).map(async ([path, wanted]) => {
      const found = (await findFile(join(place.project, path))) ?? null
      return found === wanted ? [] : [`${path}: expected ${show(wanted)} on disk, got ${show(found)}`]
    }),
  )
  return [...words, ...files.flat()]
}

/** The output of the person's own server when it is started. */
export function startedFile({ home }: Place): string {
  return join(home, 'started')
}

export interface LiveAnswer {
  /** The start of the message about the call. */
  readonly live: string
  /** The level of the finding about the folder; checked only if given. */
  readonly trust?: string | undefined
}

/** The same for `pml hooks doctor --live`, which must leave nothing in the project. */
export async function judgeLive(
  answer: LiveAnswer,
  { report, place }: { report: string; place: Place },
): Promise<string[]> {
  const { findings } = JSON.parse(report) as {
    findings: { check: string; level: string; message: string }[]
  }
  const found = findings.find(({ check }) => check === 'live')
  const { live } = answer
  const said = `${found?.level}: ${found?.message}`
  const trust = findings.find(({ check }) => check === 'trust')
  const left = await readdir(join(place.project, 'workspace'))
  return [
    ...(said.startsWith(live) ? [] : [`live: expected ${show(live)}, got ${show(said)}`]),
    ...('trust' in answer && trust?.level !== answer.trust
      ? [
          `trust: expected ${answer.trust ?? 'nothing'}, got ${show(trust ? `${trust.level}: ${trust.message}` : null)}`,
        ]
      : []),
    ...(left.join() === 'README.md' ? [] : [`workspace: expected README.md alone, got ${left.join(', ')}`]),
    ...((await findFile(startedFile(place))) === undefined
      ? []
      : ['the MCP server of the person was started']),
  ]
}

function judgeResult(
  agent: Agent,
  call: Call,
  { told, result }: { told: Told; result: string | undefined },
): string[] {
  const expected = (what: string) => [`${call.kind}: expected ${what}, got ${show(result ?? null)}`]
  if (result === undefined) return expected('a result')
  const lacks = (texts: readonly string[] = []) =>
    texts.flatMap((text) => (result.includes(text) ? [] : expected(`a result with '${text}'`)))
  if ('blockedBy' in told) {
    const start = `${agent.blockedBy(call)}BLOCKED::${told.blockedBy}\n`
    return [...(result.startsWith(start) ? [] : expected(show(start))), ...lacks(told.has)]
  }
  if ('undoneBy' in told) return lacks([`BLOCKED::${told.undoneBy}`])
  if ('refused' in told) return lacks(['BLOCKED::HOOK_FAILED'])
  if ('asked' in told) return lacks([agent.asked, ...(told.asked === true ? [] : [told.asked])])
  if ('answered' in told) return lacks(told.answered)
  const refusal = refusals.find((text) => result.includes(text))
  return [...(refusal === undefined ? [] : expected(`no '${refusal}'`)), ...lacks(told.has)]
}

function show(text: string | null): string {
  if (text === null) return 'nothing'
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}
