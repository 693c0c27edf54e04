import type { Registry } from '../registry/start-registry.ts'

export async function newKey({ url, adminKey }: Registry, request: object): Promise<string> {
  const response = await fetch(`${url}/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bench', ...request }),
  })
  if (!response.ok) throw new Error(`Cannot make a key: ${response.status}`)
  return ((await response.json()) as { key: string }).key
}
