import { expect, it } from 'vitest'
import { startRegistry } from '../../test/registry.ts'
import { createFailureLimit, networkOf } from './failure-limit.ts'

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:0207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[2001:db8:1:2::9]:51234', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
  ['unknown', 'unknown'],
  ['unknown:1', 'unknown:1'],
])('counts %s as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

it('limits each network, and all networks together', () => {
  const limit = createFailureLimit({ perMinute: 3, totalPerMinute: 10, now: () => 0 })
  const outcomes = (addresses: string[]) =>
    addresses.map((address) => {
      try {
        limit.take(address)
        return 'taken'
      } catch {
        return 'refused'
      }
    })
  expect(outcomes(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4'])).toEqual([
    'taken',
    'taken',
    'taken',
    'refused',
  ])
  const botnet = Array.from({ length: 20 }, (_, index) => `2001:db8:${index + 1}::1`)
  expect(outcomes(botnet).filter((outcome) => outcome === 'taken')).toHaveLength(7)
})

it('logs a flood from many networks as a few rows with counts, and accepts valid keys', async () => {
  const registry = await startRegistry({ trustProxy: true })
  const good = await registry.key('admin')
  const failing = async (index: number) => {
    const headers = {
      Authorization: `Bearer pml_k${index}_0123456789abcdef0123`,
      'X-Forwarded-For': `2001:db8:${index.toString(16)}::1`,
    }
    return (await registry.fetch('/keys', { headers })).status
  }
  const statuses: number[] = []
  for (let begin = 0; begin < 300; begin += 100)
    statuses.push(...(await Promise.all(Array.from({ length: 100 }, (_, index) => failing(begin + index)))))
  expect(new Set(statuses)).toEqual(new Set([401]))
  expect((await registry.fetch('/keys', { headers: good })).status).toBe(200)
  const { db } = registry
  const rows = await db.sql<{ count: number }[]>`
    select (detail->>'count')::int as count from audit_event where action = 'key.refused'`
  // A new window begins every ten seconds, so a slow machine writes more rows, but never one for each refusal.
  expect(rows.length).toBeLessThan(150)
  await registry.stop()
}, 60_000)

it('ignores X-Forwarded-For when the proxy is not trusted', async () => {
  const registry = await startRegistry()
  const statuses = await Promise.all(
    Array.from({ length: 70 }, async (_, index) => {
      const headers = {
        Authorization: `Bearer pml_k${index}_0123456789abcdef0123`,
        'X-Forwarded-For': `198.51.100.${index}`,
      }
      return (await registry.fetch('/keys', { headers })).status
    }),
  )
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
  await registry.stop()
})
