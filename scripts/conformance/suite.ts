import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { requireNpm, type BoundNpm } from '../run-npm.ts'
import type { Check, ScenarioRun } from './judge.ts'

const SUITE = '@modelcontextprotocol/conformance'
const SUITE_VERSION = '0.2.0-alpha.12'
const NODE_VERSION = '24.21.0'
const OLDEST_NODE = 22

/** The suite, installed in its own folder. */
export interface Suite {
  /** A Node that is new enough for it. */
  readonly nodePath: string
  readonly folder: string
  readonly program: string
}

interface Requirements {
  readonly server: readonly string[]
  readonly not_scored?: readonly { readonly scenario: string; readonly leg: string }[]
}

export interface Node {
  readonly path: string
  readonly version: string
}

/** Installs its own Node if ours is too old. */
export async function installSuite(npm: BoundNpm, folder: string, ownNode: Node): Promise<Suite> {
  const isNewEnough = Number.parseInt(ownNode.version, 10) >= OLDEST_NODE
  const packages = [`${SUITE}@${SUITE_VERSION}`, ...(isNewEnough ? [] : [`node@${NODE_VERSION}`])]
  await requireNpm(npm, ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages], folder)
  const installed = join(folder, 'node_modules', SUITE)
  return {
    nodePath: isNewEnough ? ownNode.path : await findProgram(join(folder, 'node_modules', 'node'), 'node'),
    folder: installed,
    program: await findProgram(installed, 'conformance'),
  }
}

/** Runs everything that a revision requires of a server, and the suite's additional scenarios. */
export async function runSuite(
  suite: Suite,
  { url, revision, output }: { url: string; revision: string; output: string },
): Promise<ScenarioRun[]> {
  const args = [suite.program, 'server', '--url', url, '--requirements', revision, '-o', output]
  const child = spawn(suite.nodePath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  // The exit code is 1 for any failed scenario, so only the result files count.
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  const scenarios = await readScenarios(suite, revision)
  const folders = await readdir(output)
  return Promise.all(
    scenarios.map(async (scenario) => ({
      revision,
      scenario,
      checks: await readChecks(output, findFolder(folders, scenario)),
    })),
  )
}

/** The file of a package's command. */
export async function findProgram(folder: string, name: string): Promise<string> {
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
  }
  const path = typeof bin === 'string' ? bin : bin[name]
  if (path === undefined) throw new Error(`Cannot find ${name} in ${folder}: the package has no such program`)
  return join(folder, path)
}

async function readScenarios({ folder }: Suite, revision: string): Promise<string[]> {
  const text = await readFile(join(folder, 'requirements', `${revision}.yaml`), 'utf8')
  const { server, not_scored: others = [] } = parse(text) as Requirements
  return [...server, ...others.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario)]
}

/** The suite names its folders `server-<scenario>-<time>`. */
function findFolder(folders: readonly string[], scenario: string): string | undefined {
  return folders.find((name) => name.replace(/-\d{4}-\d\d-\d\dT.*$/, '') === `server-${scenario}`)
}

/** Empty for a scenario that did not run, which counts as a failure. */
async function readChecks(output: string, folder: string | undefined): Promise<Check[]> {
  if (folder === undefined) return []
  return JSON.parse(await readFile(join(output, folder, 'checks.json'), 'utf8')) as Check[]
}
