import { rm, writeFile } from 'node:fs/promises'
import { IntegrityError, integrityOf, serverName, type Integrity } from '@pml/core'
import { toolsDigest, type ToolDefinition } from '@pml/core/pins'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readPinFile } from '../../../test/configured-registry.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import { openContentCache, type ContentCache } from '../../registry/content-cache.ts'
import { findPinnedTools, keepPinnedTools } from './pinned-tools.ts'

const name = serverName('memory')
let workspace: TestWorkspace
let cache: ContentCache
let tools: ToolDefinition[]
let document: { toolsDigest: string | undefined }

beforeEach(async () => {
  workspace = await makeWorkspace('http://127.0.0.1:9/')
  cache = openContentCache({ folder: workspace.cacheDir, tell: () => {}, onPut: () => {} })
  const pin = await readPinFile('memory')
  tools = pin.tools as ToolDefinition[]
  document = { toolsDigest: toolsDigest(tools) }
})
afterEach(() => workspace.remove())

describe('the tools of a pinned server', () => {
  it('are found once they were listed as they were pinned, in whatever order', async () => {
    expect(await findPinnedTools({ cache }, document)).toBeUndefined()
    await keepPinnedTools({ cache }, document, { name, tools: tools.toReversed() })
    expect(await findPinnedTools({ cache }, document)).toEqual(tools)
  })

  it('are refused when one word of them is another, naming the server and both digests', async () => {
    const [first, ...others] = tools
    const changed = [{ ...first, description: `${first?.description}\u{200b}` } as ToolDefinition, ...others]
    const refusal = keepPinnedTools({ cache }, document, { name, tools: changed })
    await expect(refusal).rejects.toThrow(IntegrityError)
    await expect(refusal).rejects.toMatchObject({
      code: 'integrity_mismatch',
      detail: { fqdn: name, expected: document.toolsDigest, found: toolsDigest(changed) },
    })
    expect(await findPinnedTools({ cache }, document)).toBeUndefined()
    expect(await cache.find(toolsDigest(changed))).toBeUndefined()
  })

  it('are refused when they have no digest of their own', async () => {
    const half = [{ name: 'a', description: '\u{d800}', inputSchema: { type: 'object' as const } }]
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as never
    for (const listed of [half, [{ ...half[0], description: '', _meta: deep } as ToolDefinition], []])
      await expect(keepPinnedTools({ cache }, document, { name, tools: listed })).rejects.toThrow(
        IntegrityError,
      )
  })

  it('are refused when the document has a digest that is none', async () => {
    const wrong = { toolsDigest: 'sha256-x' }
    await expect(keepPinnedTools({ cache }, wrong, { name, tools })).rejects.toThrow(IntegrityError)
    expect(await findPinnedTools({ cache }, wrong)).toBeUndefined()
  })

  it('are not known where the document does not say', async () => {
    const silent = { toolsDigest: undefined }
    await keepPinnedTools({ cache }, silent, { name, tools })
    expect(await findPinnedTools({ cache }, silent)).toBeUndefined()
  })

  it('are forgotten when the cache was damaged, and no other content is taken for them', async () => {
    await keepPinnedTools({ cache }, document, { name, tools })
    await writeFile(cache.pathOf(document.toolsDigest as Integrity), '[]')
    expect(await findPinnedTools({ cache }, document)).toBeUndefined()
    for (const text of ['{"tools":[]}', 'export default 1']) {
      const integrity = integrityOf(Buffer.from(text))
      await cache.put(integrity, Buffer.from(text))
      expect(await findPinnedTools({ cache }, { toolsDigest: integrity })).toBeUndefined()
    }
    await rm(workspace.cacheDir, { recursive: true })
    expect(await findPinnedTools({ cache }, document)).toBeUndefined()
  })
})
