import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listed, makeServedPlace, textIn, tool, type ServedPlace } from '../../test/served.ts'

const RELOADS = 200
const CALLERS = 2

let place: ServedPlace
beforeEach(async () => {
  place = await makeServedPlace()
})
afterEach(() => place.remove())

/** All that came from a process. */
async function familyOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const found = children.split(' ').filter(Boolean).map(Number)
  return [...found, ...(await Promise.all(found.map(familyOf))).flat()]
}

async function descriptorsOf(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length
}

it.runIf(process.platform === 'linux')(
  `${RELOADS} reloads under calls lose no call and leave neither processes nor descriptors behind`,
  { timeout: 180_000 },
  async () => {
    await place.config({ allow: ['*'] })
    await place.server('one', [tool('pid')])
    const { client, pid, ...served } = await place.serve()
    await listed({ client, pid, ...served }, 'one__pid')
    const call = async () => textIn(await client.callTool({ name: 'one__pid' }))
    const seen = new Set([await call()])
    const [family, descriptors] = [await familyOf(pid), await descriptorsOf(pid)]

    const over = new AbortController()
    let tellNew = () => {}
    const callOn = async () => {
      while (!over.signal.aborted) {
        const answer = await call()
        expect(answer).toMatch(/^\d+$/)
        const isNew = !seen.has(answer)
        seen.add(answer)
        if (isNew) tellNew()
      }
    }
    const callers = Promise.all(Array.from({ length: CALLERS }, callOn))
    const path = join(place.env['XDG_CONFIG_HOME'] ?? '', 'pml', 'mcp', 'one.json')
    const config = JSON.parse(await readFile(path, 'utf8')) as object
    for (let round = 1; round <= RELOADS; round++) {
      const isNew = new Promise<void>((done) => (tellNew = done))
      await writeFile(`${path}.new`, JSON.stringify({ ...config, callTimeoutMs: 60_000 + round }))
      await rename(`${path}.new`, path)
      await Promise.race([isNew, callers])
    }
    over.abort()
    await callers

    expect(seen.size).toBe(RELOADS + 1)
    await expect.poll(() => familyOf(pid), { timeout: 10_000 }).toHaveLength(family.length)
    await expect.poll(() => descriptorsOf(pid), { timeout: 10_000 }).toBeLessThanOrEqual(descriptors)
    expect(await call()).toMatch(/^\d+$/)
  },
)
