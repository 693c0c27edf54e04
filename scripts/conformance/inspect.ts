import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { requireNpm, type BoundNpm } from '../run-npm.ts'
import type { Verdict } from './judge.ts'
import { findProgram } from './suite.ts'

const INSPECTOR = '@modelcontextprotocol/inspector'
const INSPECTOR_VERSION = '2.12.0'
const revisions = { modern: '2026-07-28', legacy: '2025-11-25' }
const TIMEOUT_MS = 60_000

export interface Inspection {
  readonly npm: BoundNpm
  /** A folder that does not exist yet. */
  readonly folder: string
  readonly nodePath: string
  /** The registry's MCP endpoint. */
  readonly url: string
}

interface Said {
  readonly tools?: readonly { readonly name: string }[]
  readonly structuredContent?: { readonly status?: string }
}

/** Runs MCP Inspector against the registry itself: lists the tools and calls one. */
export async function inspect({ npm, folder, nodePath, url }: Inspection): Promise<Verdict[]> {
  await mkdir(folder)
  const wanted = `${INSPECTOR}@${INSPECTOR_VERSION}`
  await requireNpm(npm, ['install', '--no-audit', '--no-fund', '--prefix', folder, wanted], folder)
  const program = await findProgram(join(folder, 'node_modules', INSPECTOR), 'mcp-inspector')
  const verdicts: Verdict[] = []
  for (const [era, revision] of Object.entries(revisions)) {
    const base = [program, '--cli', url, '--transport', 'http', '--protocol-era', era, '--method']
    const ask = (...args: string[]) => say(nodePath, [...base, ...args], folder)
    const listed = await ask('tools/list')
    const called = await ask('tools/call', '--tool-name', 'registry_status')
    const isListed = listed.tools?.some(({ name }) => name === 'catalog_get') === true
    const isCalled = called.structuredContent?.status === 'ready'
    verdicts.push(verdictOf(revision, 'inspector: tools/list', isListed))
    verdicts.push(verdictOf(revision, 'inspector: tools/call', isCalled))
  }
  return verdicts
}

/** It stores data in the home folder, which is removed at the end. */
function say(nodePath: string, args: string[], home: string): Promise<Said> {
  return new Promise((resolve) => {
    const options = { env: { PATH: '', HOME: home, USERPROFILE: home }, timeout: TIMEOUT_MS }
    execFile(nodePath, args, options, (_error, stdout) => resolve(parse(stdout)))
  })
}

function parse(stdout: string): Said {
  try {
    return JSON.parse(stdout) as Said
  } catch {
    return {}
  }
}

function verdictOf(revision: string, scenario: string, isPassed: boolean): Verdict {
  return isPassed
    ? { revision, scenario, outcome: 'pass', why: '' }
    : { revision, scenario, outcome: 'fail', why: 'it did not say what was expected' }
}
