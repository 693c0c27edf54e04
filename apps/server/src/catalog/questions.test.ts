import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { rootDir } from '../../test/paths.ts'

const stdDir = fileURLToPath(new URL('../../../../packages/std/src', import.meta.url))

/** Questions, and the matching entries of the shipped catalog: one of them must be among the first five results. */
const questions: Record<string, readonly string[]> = {
  'browse the web': ['playwright', 'puppeteer', 'browserbase', 'chrome-devtools'],
  'take a screenshot of a page': ['playwright', 'puppeteer', 'chrome-devtools'],
  'search the web': ['tavily', 'brave-search', 'exa'],
  'latest news': ['brave-search'],
  'scrape a website': ['firecrawl', 'apify'],
  'read a pdf': ['markitdown'],
  'convert a word document to markdown': ['markitdown'],
  'query a postgres database': ['dbhub'],
  'run sql': ['dbhub', 'supabase'],
  'create a github issue': ['github', 'github-remote'],
  'open a pull request': ['github', 'github-remote'],
  'commit my changes': ['git'],
  'what time is it in tokyo': ['time', 'pml.std.datetime.now'],
  'directions to a place': ['mapbox'],
  'charge a customer': ['stripe'],
  'send an invoice': ['stripe'],
  'crm contacts': ['hubspot'],
  'feature flags': ['launchdarkly'],
  'why did my build fail': ['circleci'],
  'look at production errors': ['sentry', 'sentry-remote'],
  'list kubernetes pods': ['kubernetes'],
  'remember things between conversations': ['memory'],
  'think step by step': ['sequential-thinking'],
  'material ui components': ['mui'],
  'up to date library documentation': ['context7', 'context7-remote'],
  'lint my javascript': ['eslint'],
  'generate a uuid': ['pml.std.crypto.uuid'],
  'parse csv': ['pml.std.encoding.csv_parse'],
  'hash a file': ['pml.std.crypto.hash_file'],
  'find files by name': ['pml.std.filesystem.find_files', 'filesystem'],
}

let registry: TestRegistry

beforeAll(async () => {
  registry = await startRegistry({ configDir: `${rootDir}config`, stdDir })
}, 120_000)
afterAll(() => registry.stop())

async function firstFive(query: string): Promise<string[]> {
  const response = await registry.fetch('/tools/catalog_search', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, limit: 5 }),
  })
  expect(response.status, await response.clone().text()).toBe(200)
  const { items } = (await response.json()) as { items: { fqdn: string }[] }
  return items.map(({ fqdn }) => fqdn.replace(/\.[0-9a-f]+$/, ''))
}

const nameOf = (expected: string) => (expected.includes('.') ? expected : `pml.mcp.${expected}.server`)

it('answers at least 27 of 30 questions about the shipped catalog among the first five', async () => {
  const missed: Record<string, string[]> = {}
  for (const [question, expected] of Object.entries(questions)) {
    const found = await firstFive(question)
    if (!expected.some((entry) => found.includes(nameOf(entry)))) missed[question] = found
  }
  expect(Object.keys(questions)).toHaveLength(30)
  expect(Object.keys(missed).length, JSON.stringify(missed, null, 2)).toBeLessThanOrEqual(3)
})
